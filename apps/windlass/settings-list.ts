import type { Variables } from './base-env.ts'
import { addresses } from './settings-list/addresses.ts'
import { anchors } from './settings-list/anchors.ts'
import { databases } from './settings-list/databases.ts'
import { deployment } from './settings-list/deployment.ts'
import { keys } from './settings-list/keys.ts'
import { providers } from './settings-list/providers.ts'
import type { Setting } from './settings-list/setting.ts'

/** Every setting of the platform. Documentation, validation and both launchers are derived from it. */
export const SETTINGS: readonly Setting[] = [
  ...deployment,
  ...providers,
  ...anchors,
  ...addresses,
  ...databases,
  ...keys,
]

const BY_NAME = new Map(SETTINGS.map(setting => [setting.name, setting]))
const EXCHANGE_RATE = /^FX_RATE_[A-Z]{3}_USDC$/

/** The setting that a variable sets, directly or by `NAME_FILE`; undefined for a foreign variable. */
export function settingOf(variable: string): Setting | undefined {
  if (EXCHANGE_RATE.test(variable)) return BY_NAME.get('FX_RATE_EUR_USDC')
  return BY_NAME.get(variable) ?? BY_NAME.get(variable.replace(/_FILE$/, ''))
}

/** The guide's tables, one for each group. */
export function settingsAsMarkdown(): string {
  const groups = Map.groupBy(SETTINGS, setting => setting.group)
  return [...groups]
    .map(([title, settings]) => {
      const rows = settings.map(
        ({ name, summary, default: standard = '', decide, secretOf }) =>
          `| ${name} | ${summary}${secretOf ? ' (secret)' : ''}${decide ? `. **Production:** ${decide}` : ''} | ${standard} |`,
      )
      return [`## ${title}`, '', '| Variable | What it does | Default |', '|---|---|---|', ...rows].join('\n')
    })
    .join('\n\n')
}

/** The stack's variables without those of the shell that started it. */
export function ownVariables(variables: Variables, named: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => name in named || settingOf(name) !== undefined),
  )
}

/** What the demo and status commands need in another terminal; all other secrets stay in the base env file. */
export function publicVariables(variables: Variables): Variables {
  const needed = ['ADMIN_USERNAME', 'ADMIN_PASSWORD', 'SERVICE_SECRET', 'PROVIDER_WEBHOOK_SECRET']
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => settingOf(name)?.secretOf === undefined || needed.includes(name),
    ),
  )
}

/** The same list for editors and programs, as a JSON schema of an object of variables. */
export function settingsAsSchema() {
  const properties = SETTINGS.flatMap(({ name, summary, default: standard, decide, secretOf }) => {
    const about = [summary, standard && `Default: ${standard}`, decide && `Production: ${decide}`]
    const description = about.filter(Boolean).join('. ')
    const value = { type: 'string', description, ...(secretOf && { writeOnly: true }) }
    const file = { type: 'string', description: `Path of a file with the value of ${name}` }
    return [
      [name, value],
      [`${name}_FILE`, file],
    ]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Windlass',
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, object>,
    patternProperties: { [EXCHANGE_RATE.source]: { type: 'string' } },
  }
}
