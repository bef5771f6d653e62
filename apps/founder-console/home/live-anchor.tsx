import type { listAnchors, RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { formatAmount, formatFraction, formatList } from '@windlass/ui/formats.ts'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { anchorUrl, paths } from '../paths.ts'
import { home } from './texts.ts'

const texts = home.live

/** An anchor that works right now, with a deposit that anyone can try there; its place stays empty where there is none. */
export function LiveAnchor() {
  const [anchor, setAnchor] = useState<RegistryEntry>()
  useEffect(() => {
    const stop = new AbortController()
    void findAnchor(stop.signal).then(setAnchor, () => undefined)
    return () => stop.abort()
  }, [])
  return (
    <div className="mt-10 min-h-30">
      {anchor && (
        <section aria-labelledby="live" className="rounded-8 border border-deep-line p-4">
          <h2 id="live" className="flex flex-wrap items-center gap-x-2 font-semibold">
            <span aria-hidden="true" className="size-2 rounded-full bg-on-deep-accent" />
            {texts.title(anchor.name)}
          </h2>
          <p className="mt-1 text-14 text-on-deep-soft">{termsOf(anchor)}</p>
          <p className="mt-2 flex flex-wrap gap-x-4 text-14 font-medium underline underline-offset-3">
            <a href={anchorUrl(anchor.domain)}>{texts.try}</a>
            <Link to={paths.anchor(anchor.id)}>{texts.details}</Link>
          </p>
        </section>
      )}
    </div>
  )
}

/** Without contracts and the query cache, which this page does without. */
async function findAnchor(signal: AbortSignal): Promise<RegistryEntry | undefined> {
  const answer = await fetch('/aggregator/anchors?status=active&available=true&limit=20', { signal })
  const { anchors } = (await answer.json()) as Partial<AnswerOf<typeof listAnchors>>
  return anchors?.find(({ external, rails }) => !external && rails.length > 0)
}

function termsOf({ assets, rails, fees }: RegistryEntry): string {
  const [asset] = assets
  const code = asset?.code ?? ''
  const fee = fees && texts.fee(`${formatAmount(fees.fixed)} ${code}`, formatFraction(fees.percentage))
  return [texts.moves(code, formatList(rails)), fee].filter(Boolean).join(' ')
}
