import type Docker from 'dockerode'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Label of a service with what it was made from, packed: an edited one is repaired without a registry or the anchor's files. */
const DEFINITION_LABEL = 'windlass.definition'

/** Engines that do not know these leave them out. */
const NOT_OF_EVERY_ENGINE = new Set(['StartInterval', 'NoNewPrivileges'])

/** The service with its definition as a label. */
export function withDefinition(spec: Docker.ServiceSpec): Docker.ServiceSpec {
  const packed = deflateRawSync(JSON.stringify(spec)).toString('base64')
  return { ...spec, Labels: { ...spec.Labels, [DEFINITION_LABEL]: packed } }
}

/** What the service was made from; null: it does not say so. */
export function definitionOf(spec: Docker.ServiceSpec | undefined): Docker.ServiceSpec | null {
  const packed = spec?.Labels?.[DEFINITION_LABEL]
  if (packed === undefined) return null
  try {
    const text = inflateRawSync(Buffer.from(packed, 'base64')).toString()
    return withDefinition(JSON.parse(text) as Docker.ServiceSpec)
  } catch {
    return null
  }
}

/** Whether someone changed what the service was made from. How many replicas it has is another matter. */
export function isEdited({ Spec }: Docker.Service): boolean {
  const { Mode: _, ...made } = definitionOf(Spec) ?? {}
  return !has(Spec, made)
}

/** The service as it was made, with so many replicas; by default as many as it has, at most one. */
export const asMade =
  (replicas?: number) =>
  (spec: Docker.ServiceSpec): Docker.ServiceSpec => {
    const Replicas = replicas ?? Math.min(spec.Mode?.Replicated?.Replicas ?? 0, 1)
    return { ...(definitionOf(spec) ?? spec), Mode: { Replicated: { Replicas } } }
  }

/**
 * Whether everything that was set is so in what the engine has. It adds defaults, leaves out what is empty, and its command line sorts
 * lists.
 */
function has(found: unknown, set: unknown): boolean {
  if (Array.isArray(set)) {
    const list: unknown[] = Array.isArray(found) ? found : []
    return list.length === set.length && set.every(each => list.some(other => has(other, each)))
  }
  if (typeof set !== 'object' || set === null) return found === set || (!found && !set)
  // What is sent as `HealthCheck` is read as `Healthcheck`.
  const parts = new Map(Object.entries(found ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return Object.entries(set).every(
    ([name, value]) => NOT_OF_EVERY_ENGINE.has(name) || has(parts.get(name.toLowerCase()), value),
  )
}
