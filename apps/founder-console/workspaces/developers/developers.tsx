import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { useId } from 'react'
import { Link } from 'react-router'
import { anchorUrl, paths } from '../../paths.ts'
import { ApiRequests } from './api-requests.tsx'
import { RefusedMessages } from './refused-messages.tsx'
import { ApiReference } from './api-reference.tsx'
import { TestDepositSection } from './test-deposit.tsx'
import { developers as texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

/** Examples with the anchor's own domain, its API document, and a deposit that shows each request and answer. */
export function Component() {
  const { id: anchorId, homeDomain, status } = useWorkspace()
  return (
    <div className="space-y-8">
      <section className="space-y-4">
        <SectionHeading title={texts.title} lead={texts.lead} />
        <p className="text-14">
          <Link to={paths.workspace(anchorId, 'keys')} className="link">
            {texts.key}
          </Link>
          {' · '}
          <Link to={paths.workspace(anchorId, 'webhooks')} className="link">
            {texts.webhooks}
          </Link>
          {' · '}
          <a
            href={`${anchorUrl(homeDomain)}/api/v1/openapi.json`}
            target="_blank"
            rel="noreferrer"
            className="link inline-flex items-center gap-1"
          >
            {texts.document}
            <Icon name="out" className="size-3.5" />
          </a>
        </p>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          {examplesFor(anchorUrl(homeDomain), homeDomain).map(example => (
            <Example key={example.title} {...example} />
          ))}
        </div>
      </section>
      {status === 'active' && <TestDepositSection />}
      {status === 'active' && <RefusedMessages />}
      {status === 'active' && <ApiRequests />}
      {status === 'active' && <ApiReference />}
    </div>
  )
}

interface ExampleProps {
  title: string
  code: string
}

/** Code is the same in every language. */
const examplesFor = (url: string, homeDomain: string): ExampleProps[] => [
  {
    title: texts.examples.read,
    code: `export KEY=wl_test_…   # ${texts.examples.yourKey}
curl -H "Authorization: Bearer $KEY" \\
  ${url}/api/v1/workspace
curl -H "Authorization: Bearer $KEY" \\
  "${url}/api/v1/transactions?kind=deposit"`,
  },
  {
    title: texts.examples.webhook,
    code: `# ${texts.examples.webhookScope}
curl -X POST ${url}/api/v1/webhook-endpoints \\
  -H "Authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"url":"https://example.com/hook","events":["transaction.completed"]}'`,
  },
  {
    title: texts.examples.wallet,
    code: `import { Wallet } from '@windlass/wallet'

const wallet = new Wallet({ aggregator, networkPassphrase, signer })
const anchor = await wallet.connect({ anchorId: '${homeDomain}' })`,
  },
  {
    title: texts.examples.discovery,
    code: `curl ${url}/.well-known/stellar.toml
curl ${url}/sep24/info
curl ${url}/sep38/info`,
  },
]

function Example({ title, code }: ExampleProps) {
  const id = useId()
  return (
    <Panel className="min-w-0 space-y-3 px-4 py-4 sm:px-5">
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      <pre
        tabIndex={0}
        aria-labelledby={id}
        className="overflow-x-auto rounded-6 bg-sunken p-3 font-mono text-13"
      >
        {code}
      </pre>
      <CopyButton value={code} what={texts.examples.code} />
    </Panel>
  )
}
