import type { NewApiKey } from '@windlass/contracts/api-keys.ts'
import { getWorkspace } from '@windlass/contracts/developer-api.ts'
import { Button } from '@windlass/ui/button.tsx'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { workspace } from '../texts/workspace.ts'
import { addressOf } from './address.ts'

const texts = workspace.keys.revealed

/** The key, this once, and a command that tries it at the own domain. */
export function RevealedKey({
  made,
  homeDomain,
  onDone,
}: {
  made: NewApiKey
  homeDomain: string
  onDone(): void
}) {
  const command = `curl -H 'Authorization: Bearer ${made.key}' ${addressOf(homeDomain)}${getWorkspace.path}`
  return (
    <Notice
      tone="good"
      role="status"
      title={texts.title}
      actions={
        <>
          <CopyButton value={made.key} what={texts.what} />
          <CopyButton value={command} what={texts.curlWhat} />
          <Button look="quiet" onClick={onDone}>
            {texts.done}
          </Button>
        </>
      }
    >
      <p>{texts.detail}</p>
      <code className="mt-2 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
        {made.key}
      </code>
      <p className="mt-2 text-13">{texts.curl}</p>
      <code className="mt-1 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
        {command}
      </code>
    </Notice>
  )
}
