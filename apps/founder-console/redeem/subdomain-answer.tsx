import { checkSubdomain } from '@windlass/contracts/invitations.ts'
import { useQuery } from '@tanstack/react-query'
import { Icon, Spinner } from '@windlass/ui/icons.tsx'
import { useEffect, useState } from 'react'
import { call } from '../api.ts'
import { redeem } from '../texts/redeem.ts'

const texts = redeem.subdomain
const PAUSE_MS = 300

export const isSubdomain = (text: string): boolean => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text)

/** Says, once typing pauses, whether a subdomain can be had and what the anchor's address would be. */
export function SubdomainAnswer({ subdomain }: { subdomain: string }) {
  const settled = usePaused(subdomain)
  const asked = isSubdomain(settled)
  const answer = useQuery({
    queryKey: ['subdomain', settled],
    queryFn: ({ signal }) => call(checkSubdomain, { query: { subdomain: settled }, signal }),
    enabled: asked,
    staleTime: 10_000,
  })
  const waiting = isSubdomain(subdomain) && (subdomain !== settled || answer.isPending)
  return (
    <p role="status" className="flex min-h-5 items-start gap-1.5 text-13">
      {waiting ? (
        <span className="flex items-center gap-1.5 text-soft">
          <Spinner className="size-3.5" /> {texts.checking}
        </span>
      ) : !isSubdomain(subdomain) ? null : answer.error ? (
        <span className="text-soft">{texts.unknown}</span>
      ) : answer.data?.available ? (
        <span className="flex items-start gap-1.5 text-good">
          <Icon name="check" className="mt-0.5" />
          <span className="min-w-0">
            {texts.free} <code className="block font-mono wrap-anywhere">{answer.data.homeDomain}</code>
          </span>
        </span>
      ) : (
        <span className="flex items-start gap-1.5 text-bad">
          <Icon name="cross" className="mt-0.5" />
          {answer.data?.reason}
        </span>
      )}
    </p>
  )
}

function usePaused(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
