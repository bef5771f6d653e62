import { pauseMessageOf } from '@windlass/contracts/anchor/anchor-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { settingsQuery } from './settings/settings-query.ts'
import { pauseReasons } from './pause-reasons.ts'
import { workspace as texts } from './texts.ts'

const pausedOf = (anchorId: string) => ({ ...settingsQuery(anchorId), staleTime: 60_000 })

function usePause(anchorId: string) {
  const paused = useQuery(pausedOf(anchorId)).data?.history[0]?.settings.paused
  if (!paused || (paused.deposits === null && paused.withdrawals === null)) return null
  const what =
    paused.deposits === null ? 'withdrawals' : paused.withdrawals === null ? 'deposits' : ('both' as const)
  return { title: texts.paused[what], messages: [...new Set([paused.deposits, paused.withdrawals])] }
}

/** Beside the name of an anchor that takes no deposits or withdrawals. */
export function PauseBadge({ anchorId }: { anchorId: string }) {
  const pause = usePause(anchorId)
  return pause && <Status tone="warn">{pause.title}</Status>
}

/** What customers read meanwhile, and where it ends. */
export function PauseNotice({ anchorId }: { anchorId: string }) {
  const pause = usePause(anchorId)
  if (!pause) return null
  const messages = pause.messages.filter(message => message !== null)
  return (
    <Notice tone="warn" title={pause.title}>
      {messages.map(message => {
        const standard = pauseMessageOf(message)
        return <p key={message}>{standard ? pauseReasons[standard] : texts.paused.message(message)}</p>
      })}
      <Link to={paths.workspace(anchorId, 'settings')} className="link">
        {texts.paused.resume}
      </Link>
    </Notice>
  )
}
