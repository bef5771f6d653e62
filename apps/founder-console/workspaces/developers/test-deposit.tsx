import { describeError } from '@windlass/ui/console/errors.ts'
import { testSteps, type TestDeposit, type TestRequest } from '@windlass/contracts/platform/test-deposits.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDuration } from '@windlass/ui/format-units.ts'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Notice, Status, type Tone } from '@windlass/ui/notice.tsx'
import { Fact, Facts, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { isUnderWay, testDepositQuery, useCanTestDeposit, useStartTestDeposit } from './test-deposit-query.ts'
import { testDeposit as texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

/** Starts a deposit as a wallet does, and lists each request and its answer. */
export function TestDepositSection() {
  const { id: anchorId, role } = useWorkspace()
  const found = useQuery(testDepositQuery(anchorId))
  const start = useStartTestDeposit(anchorId)
  const latest = found.data?.latest
  const isPossible = useCanTestDeposit(anchorId)
  const canStart = isPossible === true && manages(role, 'support')
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          canStart && (
            <Button
              look="primary"
              pending={start.isPending || isUnderWay(latest)}
              onClick={() => start.mutate()}
            >
              {texts.start}
            </Button>
          )
        }
      />
      {start.error && <ErrorNotice failure={{ ...describeError(start.error), title: texts.failed }} />}
      <DataScreen
        query={found}
        explain={describeError}
        skeleton={<Bar className="h-40" />}
        isEmpty={data => data.latest === null}
        empty={
          <Empty title={texts.empty.title}>
            {isPossible === false ? texts.unavailable : texts.empty.detail}
          </Empty>
        }
      >
        {data => data.latest && <Deposit deposit={data.latest} />}
      </DataScreen>
    </section>
  )
}

const tones: Record<TestDeposit['state'], Tone> = {
  waiting: 'info',
  running: 'info',
  completed: 'good',
  failed: 'bad',
}

function Deposit({ deposit }: { deposit: TestDeposit }) {
  const { id: anchorId, asset } = useWorkspace()
  const { state, failure, transactionId, requests } = deposit
  return (
    <Panel className="space-y-4 px-4 py-4 sm:px-5">
      <p role="status" className="flex flex-wrap items-center gap-3 text-14">
        <Status tone={tones[state]}>{texts.states[state]}</Status>
        <span className="text-soft">{texts.started(formatDateTime(deposit.startedAt))}</span>
      </p>
      {failure && (
        <Notice tone="bad" title={texts.failure}>
          {failure}
        </Notice>
      )}
      <Facts>
        <Fact name={texts.amount}>
          {texts.amountOver(formatAmount(deposit.amount), asset.code, deposit.rail)}
        </Fact>
        <Fact name={texts.wallet}>
          <Identifier value={deposit.account} what={texts.wallet} />
        </Fact>
        {transactionId && (
          <Fact name={texts.transaction}>
            <Link to={paths.workspace(anchorId, 'transactions', { open: transactionId })} className="link">
              {texts.see}
            </Link>
          </Fact>
        )}
      </Facts>
      <ol className="space-y-4">
        {testSteps.map(step => {
          const made = requests.filter(request => request.step === step)
          return (
            made.length > 0 && (
              <li key={step} className="space-y-2">
                <h3 className="text-14 font-semibold">{texts.steps[step]}</h3>
                <ol className="divide-y divide-line rounded-8 border border-line">
                  {made.map((request, index) => (
                    <Exchange key={index} request={request} />
                  ))}
                </ol>
              </li>
            )
          )
        })}
      </ol>
    </Panel>
  )
}

/** One request with its answer, folded. */
function Exchange({ request }: { request: TestRequest }) {
  const { method, url, body, status, answer, durationMs } = request
  const good = status !== null && status < 400
  return (
    <li className="text-13">
      <details>
        <summary className="control flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
          <Status tone={good ? 'good' : 'bad'}>{status ?? texts.noAnswer}</Status>
          <code className="min-w-0 flex-1 basis-48 font-mono wrap-anywhere">
            {method} {url.startsWith('http') ? new URL(url).pathname : url}
          </code>
          <span className="text-soft tabular">{formatDuration(durationMs)}</span>
        </summary>
        <div className="space-y-3 border-t border-line p-3">
          <Text name={texts.address} text={url} />
          {body && <Text name={texts.body} text={prettyJson(body)} />}
          <Text name={texts.answer} text={prettyJson(answer) || texts.emptyAnswer} />
        </div>
      </details>
    </li>
  )
}

function Text({ name, text }: { name: string; text: string }) {
  return (
    <div className="space-y-1">
      <p className="text-soft">{name}</p>
      <pre
        tabIndex={0}
        aria-label={name}
        className="max-h-72 overflow-auto rounded-6 bg-sunken p-2 font-mono whitespace-pre-wrap wrap-anywhere"
      >
        {text}
      </pre>
    </div>
  )
}

/** JSON with indents; other text, and JSON that was cut, as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
