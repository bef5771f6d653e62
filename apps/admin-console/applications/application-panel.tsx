import {
  type ApplicationStatus,
  getApplication,
  type ReviewedApplication,
} from '@windlass/contracts/platform/applications.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import {
  formatAmount,
  formatCountry,
  formatDateTime,
  formatFraction,
  formatList,
} from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { RawJson } from '@windlass/ui/raw-json.tsx'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { query } from '../api.ts'
import { applications as texts } from './texts.ts'
import { ReviewActions } from './review-actions.tsx'

const applicationQuery = (id: string) => query(getApplication, { params: { id } })

interface ApplicationPanelProps {
  id: string | undefined
  /** The row of the list, displayed until the application is loaded. */
  known: ReviewedApplication | undefined
  onClose(): void
}

export function ApplicationPanel({ id, known, onClose }: ApplicationPanelProps) {
  const application = useQuery({
    ...applicationQuery(id ?? ''),
    enabled: id !== undefined,
    placeholderData: known,
  })
  return (
    <SidePanel
      open={id !== undefined}
      onClose={onClose}
      title={application.data?.companyProfile.name ?? texts.title}
      footer={application.data && <ReviewActions key={id} application={application.data} />}
    >
      <DataScreen query={application} explain={describeError} skeleton={<PanelSkeleton />}>
        {data => <ApplicationFacts application={data} />}
      </DataScreen>
    </SidePanel>
  )
}

function ApplicationFacts({ application }: { application: ReviewedApplication }) {
  const { companyProfile, stellarConfig, paymentRails, compliance, invitation } = application
  const [asset, ...further] = stellarConfig.assets ?? []
  const { fee, limits } = paymentRails
  const unit = asset?.code ?? stellarConfig.assetCode ?? texts.units
  const units = (amount: string) => `${formatAmount(amount)} ${unit}`
  const limitOf = (amount: string | undefined) => (amount ? units(amount) : texts.byDefault.toLowerCase())
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ApplicationBadge status={application.status} />
        <Identifier value={application.id} what={texts.fields.id.toLowerCase()} />
      </div>
      {application.status !== 'applied' && (
        <Section title={texts.sections.review}>
          <Given name={texts.fields.reviewed}>
            {application.reviewedBy && application.reviewedAt
              ? texts.reviewedBy(application.reviewedBy, formatDateTime(application.reviewedAt))
              : undefined}
          </Given>
          {application.status === 'rejected' && (
            <Given name={texts.fields.reason}>{application.reason}</Given>
          )}
          {invitation && (
            <Fact name={texts.fields.invitation}>
              {invitation.status === 'open'
                ? texts.invitation.open(formatDateTime(invitation.expiresAt))
                : texts.invitation[invitation.status]}
            </Fact>
          )}
        </Section>
      )}
      <Section title={texts.sections.company}>
        <Given name={texts.fields.name}>{companyProfile.name}</Given>
        <Given name={texts.fields.businessEmail}>{companyProfile.businessEmail}</Given>
        <Given name={texts.fields.contactName}>{companyProfile.contactName}</Given>
        <Given name={texts.fields.country}>{countryOf(companyProfile.country)}</Given>
        <Given name={texts.fields.website}>{companyProfile.website}</Given>
        <Given name={texts.fields.registrationNumber}>{companyProfile.registrationNumber}</Given>
        <Further values={companyProfile} />
        <Given name={texts.fields.received}>{formatDateTime(application.createdAt)}</Given>
      </Section>
      <Section title={texts.sections.asset}>
        <Planned name={texts.fields.assetCode}>{asset?.code ?? stellarConfig.assetCode}</Planned>
        {asset?.issuer && <Given name={texts.fields.issuer}>{asset.issuer}</Given>}
        <Planned name={texts.fields.assetName}>{asset?.name ?? stellarConfig.assetName}</Planned>
        {asset?.code !== 'XLM' && (
          <Planned name={texts.fields.anchoredTo}>{asset?.anchoredTo ?? stellarConfig.anchoredTo}</Planned>
        )}
        {further.map(({ code, issuer = '', anchoredTo = 'USD' }) => (
          <Given key={`${code} ${issuer}`} name={texts.fields.furtherAsset}>
            {`${code} (${anchoredTo}) ${issuer}`}
          </Given>
        ))}
        <Further values={stellarConfig} />
      </Section>
      <Section title={texts.sections.rails}>
        <Planned name={texts.fields.rails}>{paymentRails.rails && formatList(paymentRails.rails)}</Planned>
        <Planned name={texts.fields.settlement}>
          {paymentRails.settlement && (texts.settlement[paymentRails.settlement] ?? paymentRails.settlement)}
        </Planned>
        <Planned name={texts.fields.fee}>
          {fee && texts.fee(units(fee.fixed ?? '0'), formatFraction(fee.percentage ?? '0'))}
        </Planned>
        <Planned name={texts.fields.limits}>
          {limits && texts.limits(limitOf(limits.min), limitOf(limits.max))}
        </Planned>
        <Planned name={texts.fields.credentials}>
          {application.hasCredentials ? texts.credentialsGiven : texts.credentialsNone}
        </Planned>
      </Section>
      <Section title={texts.sections.compliance}>
        <Given name={texts.fields.jurisdiction}>{countryOf(compliance.jurisdiction)}</Given>
        <Given name={texts.fields.licenseNumber}>{compliance.licenseNumber}</Given>
        <Planned name={texts.fields.regions}>
          {compliance.regions && formatList(compliance.regions.map(formatCountry))}
        </Planned>
        <Further values={compliance} />
      </Section>
      <RawJson value={application} />
    </div>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <h3 className="text-13 font-medium text-soft">{title}</h3>
      <Facts>{children}</Facts>
    </section>
  )
}

interface GivenProps {
  name: string
  children: string | null | undefined
  /** Replaces a missing value. */
  otherwise?: string
}

function Given({ name, children, otherwise = texts.notGiven }: GivenProps) {
  return <Fact name={name}>{children || <span className="text-soft">{otherwise}</span>}</Fact>
}

/** The text fields that have no place of their own above: new ones, and what the founder's program sent besides. */
function Further({ values }: { values: Record<string, unknown> }) {
  return Object.entries(values).map(
    ([name, value]) =>
      !(name in texts.fields) &&
      typeof value === 'string' &&
      value !== '' && (
        <Fact key={name} name={labelOf(name)}>
          {value}
        </Fact>
      ),
  )
}

/** `taxNumber`: "Tax number" */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value of the future anchor; missing ones use the platform's default. */
const Planned = (props: GivenProps) => <Given {...props} otherwise={texts.byDefault} />

// Forms send country codes; programs may send any text.
const countryOf = (text: string | undefined) => (text && /^[A-Z]{2}$/.test(text) ? formatCountry(text) : text)

function PanelSkeleton() {
  return (
    <div className="space-y-4">
      <Bar className="h-6 w-40" />
      {Array.from({ length: 9 }, (_, row) => (
        <Bar key={row} className="h-5" />
      ))}
    </div>
  )
}

const tones: Record<ApplicationStatus, Tone> = { applied: 'info', approved: 'good', rejected: 'neutral' }

export function ApplicationBadge({ status }: { status: ApplicationStatus }) {
  return (
    <Status tone={tones[status]} icon={status === 'rejected' ? 'cross' : undefined}>
      {texts.status[status]}
    </Status>
  )
}
