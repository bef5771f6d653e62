import { formatSeconds, type Progress } from '../progress.ts'
import type { Variables } from '../base-env.ts'
import { beginStory, type Step, type Story } from './story.ts'

/** The anchors that the demo made, for resolvers that do not know `*.localhost`; null where there is none. */
function hostsLine({ first, second }: Story): string | null {
  const hosts = [first, second].flatMap(({ anchor }) => anchor?.homeDomain?.split(':')[0] ?? [])
  return hosts.length > 0 ? `127.0.0.1 ${hosts.join(' ')}` : null
}

/** With which addresses a person signs in to look at what the demo made. */
function signInLines({ variables, first, second, customerEmail }: Story): string[] {
  const founders = [first, second].filter(({ anchor }) => anchor).map(({ email }) => email)
  return [
    ...(founders.length > 0
      ? [`Founders    ${founders.join(', ')} at ${variables.FOUNDER_CONSOLE_URL}/sign-in`]
      : []),
    `Customer    ${customerEmail} at ${variables.CUSTOMER_PORTAL_URL}`,
    `Codes       ${variables.MAIL_CATCHER_URL}`,
  ]
}

/**
 * Runs the steps in order and reports each with its result and time.
 *
 * @param keepGoing continues after a failed step
 * @returns how many passed, and what they made.
 */
export async function walk(
  steps: readonly Step[],
  variables: Variables,
  progress: Progress,
  keepGoing: boolean,
): Promise<{ held: number; of: number; story: Story }> {
  const story = beginStory(variables)
  const began = performance.now()
  let held = 0
  for (const [index, step] of steps.entries()) {
    const label = `${String(index + 1).padStart(2)}. ${step.title}`
    const started = performance.now()
    try {
      const result = await step.run(story, line => progress.plain(`         ${line}`))
      progress.done(label.padEnd(42), result, performance.now() - started)
      held += 1
    } catch (error) {
      progress.fail(`${label.padEnd(42)}          ${error instanceof Error ? error.message : String(error)}`)
      if (!keepGoing) break
    }
  }
  await story.anchors.close()
  const time = formatSeconds(performance.now() - began)
  const names = hostsLine(story)
  if (names) {
    progress.plain('\n  Node, Python, Go and Java find these anchors with this line in /etc/hosts:')
    progress.plain(`    ${names}`)
  }
  progress.plain('\n  Sign in with these addresses; the codes are in the caught mail:')
  for (const line of signInLines(story)) progress.plain(`    ${line}`)
  if (held === steps.length) progress.plain(`\n  All ${held} steps passed in ${time}.`)
  else progress.fail(`${held} of ${steps.length} steps passed in ${time}. See the logs: npm run logs`)
  return { held, of: steps.length, story }
}
