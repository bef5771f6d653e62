import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import type { Job } from '@windlass/contracts/platform/provisioning.ts'
import { buttonLook } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { Domain, Fact, Facts, Panel } from '@windlass/ui/page.tsx'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { provisioning } from './texts.ts'

const texts = provisioning.result

/** The anchor so far; each fact appears as soon as it is known. */
export function Result({ job }: { job: Job }) {
  const { homeDomain, assetCode, issuer, distribution, signingKey, urls = {} } = job.result
  if (!homeDomain && !assetCode && !issuer) return null
  const done = job.status === 'completed'
  const links = Object.entries(urls).filter(
    ([name, url]) => isWebAddress(url) && !accountLinks.includes(name),
  )
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{texts.title}</h2>
      <Facts className="mt-1">
        {homeDomain && (
          <Fact name={texts.domain}>
            <Domain>{homeDomain}</Domain>
          </Fact>
        )}
        {assetCode && (
          <Fact name={texts.asset}>
            <span className="font-mono text-13">{assetCode}</span>
          </Fact>
        )}
        {issuer !== NATIVE && <Account name={texts.issuer} value={issuer} url={urls.issuer} />}
        <Account name={texts.distribution} value={distribution} url={urls.distribution} />
        <Account name={texts.signingKey} value={signingKey} />
      </Facts>
      {done && links.length > 0 && (
        <>
          <h3 className="mt-3 text-13 font-medium text-soft">{texts.links}</h3>
          <ul className="mt-1 space-y-1 text-14">
            {links.map(([name, url]) => (
              <li key={name}>
                <Outward url={url}>{url.replace(/^https?:\/\//, '')}</Outward>
              </li>
            ))}
          </ul>
        </>
      )}
      {done && (
        <div className="mt-4 space-y-3 border-t border-line pt-3">
          <p className="text-14 text-soft">{provisioning.next.detail}</p>
          <Link to={paths.workspaces()} className={buttonLook('primary')}>
            {provisioning.next.workspace}
          </Link>
        </div>
      )}
    </Panel>
  )
}

const accountLinks = ['issuer', 'distribution']

function Account({
  name,
  value,
  url,
}: {
  name: string
  value: string | undefined
  url?: string | undefined
}) {
  if (!value) return null
  return (
    <Fact name={name}>
      <Identifier value={value} what={name.toLowerCase()} />
      {url && isWebAddress(url) && (
        <span className="block">
          <Outward url={url}>{texts.onLedger}</Outward>
        </span>
      )}
    </Fact>
  )
}

function Outward({ url, children }: { url: string; children: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="link inline-flex max-w-full items-start gap-1 text-14"
    >
      <span className="min-w-0 wrap-anywhere">{children}</span>
      <Icon name="out" className="mt-1 size-3.5" />
    </a>
  )
}

// The links come from a service; a `javascript:` address must never be followed.
const isWebAddress = (url: string): boolean => /^https?:\/\//.test(url)
