import { describeError } from '@windlass/ui/console/errors.ts'
import { hitStatuses, type NameMatch, type ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import {
  getWorkspaceScreeningCase,
  listWorkspaceScreeningHits,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { saveJson } from '@windlass/ui/console/csv.ts'
import { RecordList, rowsOf, useOpenRow } from '@windlass/ui/console/record-list.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatCountry, formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { type Column, rowLink } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { Link, useSearchParams } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { texts as countryTexts } from './country-texts.ts'
import { DecisionForm } from './compliance-forms.tsx'
import { OutsideFacts } from './outside.tsx'
import { texts as outsideTexts } from './outside-texts.ts'
import { refreshHits, scoreOf } from './screening.ts'
import { texts } from './texts.ts'
import { sentenceOf, VelocityFacts } from './velocity.tsx'
import { texts as velocityTexts } from './velocity-texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

const tones: Record<ScreeningHit['status'], Tone> = { waiting: 'warn', cleared: 'neutral', confirmed: 'bad' }

/** What a hit without a name is about. */
const nameOf = ({ outside, country }: ScreeningHit): string =>
  outside ? outsideTexts.hit.name : country ? countryTexts.hit.name : velocityTexts.hit.name

/** The title of its panel. */
const titleOf = ({ match, outside, country }: ScreeningHit): string =>
  match
    ? texts.hit.title
    : outside
      ? outsideTexts.hit.name
      : country
        ? countryTexts.hit.title
        : velocityTexts.hit.title

/** The name on the list, or the rule. */
const findingOf = ({ match, velocity, country, outside }: ScreeningHit) =>
  match
    ? `${match.entryName} · ${match.source}`
    : outside
      ? (outside.reference ?? outsideTexts.kinds[outside.kind])
      : country
        ? `${formatCountry(country.country)} · ${countryTexts.hit.lists[country.list]}`
        : velocity && sentenceOf(velocity.rule)

/** Names and transfers that a person decides about. */
export function Hits() {
  const { id: anchorId } = useWorkspace()
  const given = useSearchParams()[0].get('status')
  const status = hitStatuses.find(each => each === given)
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceScreeningHits, {
      params: { anchorId },
      query: { ...(status && { status }) },
    }),
  )
  const rows = rowsOf(list)
  const pathTo = (open: string | undefined) => paths.workspace(anchorId, 'compliance', { status, open })
  const { open, close } = useOpenRow(
    rows.map(({ id }) => id),
    pathTo,
  )
  const hit = rows.find(({ id }) => id === open)
  const { columns: heads } = texts.hits
  const columns: Column<ScreeningHit>[] = [
    {
      head: heads.name,
      className: 'font-medium wrap-anywhere',
      cell: row => (
        <Link to={pathTo(row.id)} preventScrollReset className={rowLink}>
          {row.match?.name ?? nameOf(row)}
        </Link>
      ),
    },
    {
      head: heads.role,
      className: 'text-soft',
      cell: row =>
        row.match
          ? texts.hits.roles[row.match.role]
          : row.outside
            ? outsideTexts.kinds[row.outside.kind]
            : row.country
              ? countryTexts.hit.of[row.country.of]
              : velocityTexts.hit.role,
    },
    { head: heads.entry, className: 'wrap-anywhere', cell: findingOf },
    { head: heads.score, named: true, numeric: true, cell: row => row.match && scoreOf(row.match.score) },
    {
      head: heads.status,
      cell: row => <Status tone={tones[row.status]}>{texts.hits.statuses[row.status]}</Status>,
    },
    timeColumn(heads.at, row => row.createdAt),
  ]
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.hits.title} lead={texts.hits.lead} />
      <RecordList
        texts={texts.hits}
        list={list}
        columns={columns}
        keyOf={row => row.id}
        open={open}
        filter={{
          value: status,
          options: hitStatuses.map(each => [each, texts.hits.statuses[each]] as const),
          to: value => paths.workspace(anchorId, 'compliance', { status: value || undefined }),
        }}
      />
      {hit && <HitPanel key={hit.id} hit={hit} onClose={close} />}
    </section>
  )
}

function HitPanel({ hit, onClose }: { hit: ScreeningHit; onClose(): void }) {
  const { id: anchorId, role, subdomain } = useWorkspace()
  const save = useMutation({
    mutationFn: async () =>
      saveJson(
        `${subdomain}-screening-${hit.id}.json`,
        await operator.call(getWorkspaceScreeningCase, { params: { anchorId, id: hit.id } }),
      ),
  })
  const canDecide = manages(role, 'compliance') && hit.status !== 'cleared'
  return (
    <SidePanel open onClose={onClose} title={titleOf(hit)}>
      <div className="space-y-6">
        <Status tone={tones[hit.status]}>{texts.hits.statuses[hit.status]}</Status>
        <Facts>
          {hit.match && <MatchFacts match={hit.match} />}
          {hit.names && <NameFacts names={hit.names} />}
          {hit.country && (
            <Fact name={countryTexts.hit.of[hit.country.of]}>
              {hit.country.country} · {countryTexts.hit.lists[hit.country.list]}
            </Fact>
          )}
          {hit.outside && <OutsideFacts outside={hit.outside} />}
          {hit.velocity && <VelocityFacts velocity={hit.velocity} />}
          {hit.transactions.length > 0 && (
            <Fact name={texts.hit.fields.holds}>
              <span className="grid gap-1">
                {hit.transactions.map(id => (
                  <Link
                    key={id}
                    to={paths.workspace(anchorId, 'transactions', { open: id })}
                    className="link font-mono wrap-anywhere"
                  >
                    {id}
                  </Link>
                ))}
              </span>
            </Fact>
          )}
        </Facts>
        <Decisions decisions={hit.decisions} />
        {save.error && (
          <ErrorNotice failure={{ ...describeError(save.error), title: texts.hit.exportFailed }} />
        )}
        {manages(role, 'compliance') && (
          <Button pending={save.isPending} onClick={() => save.mutate()}>
            {texts.hit.export}
          </Button>
        )}
        {canDecide && (
          <DecisionForm
            hit={hit}
            onDone={() => {
              onClose()
              refreshHits()
            }}
          />
        )}
      </div>
    </SidePanel>
  )
}

function MatchFacts({ match }: { match: NameMatch }) {
  const { fields } = texts.hit
  const facts = [
    [fields.name, match.name],
    [fields.role, texts.hits.roles[match.role]],
    [fields.entry, match.entryName],
    [fields.list, texts.hit.entryOf(match.source, match.entryId)],
    [fields.detail, match.detail],
    [fields.score, scoreOf(match.score)],
  ] as const
  return facts.map(
    ([name, value]) =>
      value && (
        <Fact key={name} name={name}>
          <span className="wrap-anywhere">{value}</span>
        </Fact>
      ),
  )
}

/** What the customer told, and what is on their document. */
function NameFacts({ names: { told, verified } }: { names: NonNullable<ScreeningHit['names']> }) {
  const { fields, unknownName } = texts.hit
  return (
    <>
      <Fact name={fields.told}>
        <span className="wrap-anywhere">{told ?? unknownName}</span>
      </Fact>
      <Fact name={fields.verified}>
        <span className="wrap-anywhere">{verified ?? unknownName}</span>
      </Fact>
    </>
  )
}

function Decisions({ decisions }: Pick<ScreeningHit, 'decisions'>) {
  if (decisions.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.hit.decisions}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {decisions.map(({ decision, reason, evidence, at }) => (
          <li key={at} className="space-y-1 px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">{texts.hit.decided[decision]}</strong>
              <time dateTime={at} className="text-soft">
                {formatDateTime(at)}
              </time>
            </p>
            <p className="whitespace-pre-wrap wrap-anywhere">{reason}</p>
            {evidence && <p className="whitespace-pre-wrap wrap-anywhere text-soft">{evidence}</p>}
          </li>
        ))}
      </ol>
    </section>
  )
}
