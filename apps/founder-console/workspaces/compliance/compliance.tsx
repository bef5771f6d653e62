import { classNames } from '@windlass/ui/class-names.ts'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { paths } from '../../paths.ts'
import { Agreements } from './agreements.tsx'
import { Blocked } from './blocked.tsx'
import { Cases } from './cases.tsx'
import { Countries } from './countries.tsx'
import { Hits } from './hits.tsx'
import { Inquiries } from './inquiries.tsx'
import { Lists } from './lists.tsx'
import { OutsideChecksSection } from './outside.tsx'
import { BeneficialOwners } from './owners.tsx'
import { Providers } from './providers.tsx'
import { Register } from './registers.tsx'
import { ReportSettingsSection } from './report-settings.tsx'
import { RetentionRules } from './retention.tsx'
import { Risk } from './risk.tsx'
import { parts as texts } from './part-texts.ts'
import { TravelRule } from './travel-rule-forms.tsx'
import { VelocityRules } from './velocity.tsx'
import { useWorkspace } from '../workspace.tsx'

/** What waits for a person comes first. A part asks for its own when it is opened. */
const parts: Record<keyof typeof texts.names, ReactNode> = {
  review: (
    <>
      <Hits />
      <Inquiries />
      <Cases />
      <Blocked />
    </>
  ),
  rules: (
    <>
      <VelocityRules />
      <Risk />
      <Countries />
      <OutsideChecksSection />
      <RetentionRules />
    </>
  ),
  names: (
    <>
      <Lists />
      <BeneficialOwners />
    </>
  ),
  institutions: (
    <>
      <TravelRule />
      <Providers />
      <Agreements />
    </>
  ),
  reports: (
    <>
      <ReportSettingsSection />
      <Register register="complaints" />
      <Register register="incidents" />
    </>
  ),
}
type Part = keyof typeof parts
const all = Object.keys(parts) as Part[]

/** Names and transfers that a person decides about, rules, lists, and anchors whose checks count too. */
export function Component() {
  const { id } = useWorkspace()
  const given = useSearchParams()[0].get('part')
  const part = all.find(each => each === given) ?? 'review'
  return (
    <div className="space-y-8">
      <nav aria-label={texts.label} className="flex flex-wrap gap-1 border-b border-line pb-2">
        {all.map(each => (
          <Link
            key={each}
            to={paths.workspace(id, 'compliance', { part: each === 'review' ? undefined : each })}
            aria-current={each === part ? 'page' : undefined}
            className={classNames(
              'control inline-flex items-center rounded-8 px-3 text-14',
              each === part
                ? 'bg-accent-tint font-semibold text-accent'
                : 'text-soft hover:bg-hover hover:text-ink',
            )}
          >
            {texts.names[each]}
          </Link>
        ))}
      </nav>
      {parts[part]}
    </div>
  )
}
