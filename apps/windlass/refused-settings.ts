import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT } from './home.ts'
import type { Variables } from './base-env.ts'
import { deriveVariables, variablesFor, type Settings } from './settings.ts'

/** A part that would not start with the settings that it gets, and why. */
export interface Refusal {
  part: string
  problem: string
}

/** What each part to start says about its settings, by the program that reads them when it starts. */
export async function refusedSettings(settings: Settings, home: string): Promise<Refusal[]> {
  const variables = { ...deriveVariables(settings, home, 80), ...settings.variables }
  const refusals: Refusal[] = []
  for (const { name, title, script } of settings.services) {
    const path = join(CHECKOUT, dirname(script), 'config.ts')
    if (!existsSync(path)) continue
    const { loadConfig } = (await import(path)) as { loadConfig(env: Variables): unknown }
    try {
      loadConfig(variablesFor(name, variables))
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (refusals.every(other => other.problem !== problem)) refusals.push({ part: title, problem })
    }
  }
  return refusals
}
