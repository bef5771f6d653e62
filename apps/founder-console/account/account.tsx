import { endOperatorSession, listOperatorSessions } from '@windlass/contracts/platform/operators.ts'
import { chooseOperatorTimeZone } from '@windlass/contracts/platform/time-zones.ts'
import { useQuery, useInfiniteQuery } from '@tanstack/react-query'
import { SecondFactorSettings } from '@windlass/ui/console/second-factor-settings.tsx'
import { SessionList } from '@windlass/ui/console/session-list.tsx'
import { TimeZoneSetting } from '@windlass/ui/console/time-zone-setting.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { operator, profileQuery } from '../session.ts'
import { secondFactors } from './second-factors.ts'
import { shell } from '../texts.ts'
import { account as texts } from './texts.ts'

/** The operator's second factors and sessions. */
export function Component() {
  const profile = useQuery(profileQuery).data
  return (
    <div className="mx-auto w-full max-w-[1120px] flex-1 space-y-10 px-4 py-8 sm:px-6 sm:py-10">
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={profile && texts.signedInAs(profile.user.email)}
      />
      <SecondFactorSettings api={secondFactors} />
      <TimeZoneSetting save={timeZone => operator.call(chooseOperatorTimeZone, { body: { timeZone } })} />
      <SessionList
        sessions={useInfiniteQuery(operator.pages(listOperatorSessions))}
        end={id => operator.call(endOperatorSession, { params: { id } })}
      />
    </div>
  )
}
