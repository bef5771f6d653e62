import type Docker from 'dockerode'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LABELS, labelsOf, targetOf } from '../docker/container.ts'
import { creating } from '../docker/engine.ts'
import { listHandedFiles, type HandedFile } from '../handed-files.ts'
import type { ServerSpec } from '../runtime.ts'

/** The image's user `node`, who runs the servers. */
export const SERVER_USER = '1000'

/** A server's files as the cluster keeps them: those of `secrets/` as secrets, others as configs. */
export interface KeptFiles {
  handed: readonly HandedFile[]
  secrets: Docker.SecretReference[]
  configs: Docker.ConfigReference[]
  /** Hash of what the server is made from, its files' content included. */
  print: string
  /** Hash of its files alone. */
  content: string
}

interface FileContent extends HandedFile {
  content: Buffer
}

export async function readHandedFiles(spec: ServerSpec): Promise<FileContent[]> {
  const handed = await listHandedFiles(spec)
  const read = handed.map(async file => ({ ...file, content: await readFile(join(spec.folder, file.path)) }))
  return Promise.all(read)
}

/**
 * A hash of all that a server is made from. It covers all its files together, so it tells nothing about a single one.
 */
export function printOf(spec: ServerSpec, settings: unknown, files: readonly FileContent[]): string {
  const { folder: _, user: __, ...made } = spec
  return createHash('sha256')
    .update(JSON.stringify([made, settings]))
    .update(contentOf(files))
    .digest('hex')
}

/** A hash of its files alone. */
export function contentOf(files: readonly FileContent[]): string {
  const hash = createHash('sha256')
  for (const { path, content } of files) hash.update(`\0${path}\0${content.length}\0`).update(content)
  return hash.digest('hex')
}

/**
 * Gives the cluster a server's files. What the cluster keeps cannot be changed: another content has another name, and a repeated try
 * finds what an earlier one left.
 */
export async function keepFiles(
  engine: Docker,
  spec: ServerSpec,
  files: readonly FileContent[],
  print: string,
): Promise<KeptFiles> {
  const kept: KeptFiles = { handed: files, print, content: contentOf(files), secrets: [], configs: [] }
  for (const { path, content } of files) {
    const name = `windlass-${createHash('sha256').update(`${print} ${path}`).digest('hex').slice(0, 40)}`
    const made = {
      Name: name,
      Labels: { ...labelsOf(spec), [FILE_LABEL]: path },
      Data: content.toString('base64'),
    }
    const File = { Name: targetOf(path), UID: SERVER_USER, GID: SERVER_USER, Mode: 0o400 }
    if (path.startsWith('secrets/')) {
      await creating(() => engine.createSecret(made))
      const found = await engine.listSecrets(named(name))
      kept.secrets.push({ File, SecretName: name, SecretID: idOf(found, name) })
    } else {
      await creating(() => engine.createConfig(made))
      const found = await engine.listConfigs(named(name))
      kept.configs.push({ File, ConfigName: name, ConfigID: idOf(found, name) })
    }
  }
  return kept
}

const FILE_LABEL = 'windlass.file'

const named = (name: string) => ({ filters: JSON.stringify({ name: [name] }) })

type Kept = { ID: string; Spec?: { Name?: string } }

/** The filter finds names that begin so too. */
const idOf = (found: readonly Kept[], name: string) => found.find(({ Spec }) => Spec?.Name === name)?.ID

/** The ids of everything that anchors' servers were given and no service uses, not even to go back to its last state. */
export async function listUnusedFiles(engine: Docker, services: readonly Docker.Service[]) {
  const filters = JSON.stringify({ label: [LABELS.anchor] })
  const used = new Set(services.flatMap(({ Spec, PreviousSpec }) => [Spec, PreviousSpec]).flatMap(idsOf))
  const unused = (found: readonly Kept[]) => found.map(({ ID }) => ID).filter(id => !used.has(id))
  return {
    secrets: unused(await engine.listSecrets({ filters })),
    configs: unused(await engine.listConfigs({ filters })),
  }
}

function idsOf(spec: Docker.ServiceSpec | undefined): string[] {
  const task = spec?.TaskTemplate
  if (!task || !('ContainerSpec' in task)) return []
  const { Secrets = [], Configs = [] } = task.ContainerSpec ?? {}
  return [...Secrets.map(({ SecretID }) => SecretID), ...Configs.map(({ ConfigID }) => ConfigID)].filter(
    id => id !== undefined,
  )
}
