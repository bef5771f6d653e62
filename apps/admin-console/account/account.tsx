import { endAdminSession, listAdminSessions } from '@windlass/contracts/platform/administrators.ts'
import { chooseAdminTimeZone } from '@windlass/contracts/platform/time-zones.ts'
import { useQuery, useInfiniteQuery } from '@tanstack/react-query'
import { SecondFactorSettings } from '@windlass/ui/console/second-factor-settings.tsx'
import { SessionList } from '@windlass/ui/console/session-list.tsx'
import { TimeZoneSetting } from '@windlass/ui/console/time-zone-setting.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { call, pages } from '../api.ts'
import { useMay } from '../may.ts'
import { meQuery } from '../session.ts'
import { shell } from '../texts.ts'
import { roles } from '../administrators/texts.ts'
import { ChangePassword } from './change-password.tsx'
import { ResetOperator } from './reset-operator.tsx'
import { secondFactors } from './second-factors.ts'
import { account as texts } from './texts.ts'

/** The administrator's password, second factors and sessions. */
export function Component() {
  const me = useQuery(meQuery).data
  const canReset = useMay('operator')
  return (
    <>
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={me && texts.signedInAs(me.username, roles[me.role])}
      />
      <SecondFactorSettings api={secondFactors} />
      {me && !me.fromSettings && <ChangePassword username={me.username} />}
      <TimeZoneSetting save={timeZone => call(chooseAdminTimeZone, { body: { timeZone } })} />
      <SessionList
        sessions={useInfiniteQuery(pages(listAdminSessions))}
        end={id => call(endAdminSession, { params: { id } })}
      />
      {canReset && <ResetOperator />}
    </>
  )
}
