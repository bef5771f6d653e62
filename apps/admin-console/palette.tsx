import { listJobs } from '@windlass/contracts/platform/admin-home.ts'
import { listFleet, searchEverything } from '@windlass/contracts/platform/administrators.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { listApplications } from '@windlass/contracts/platform/applications.ts'
import { CommandPalette, type Command } from '@windlass/ui/console/command-palette.tsx'
import { call } from './api.ts'
import { paths } from './paths.ts'
import { shell } from './texts.ts'

const texts = shell.palette

interface PaletteProps {
  pages: readonly (readonly [to: string, name: string, ...unknown[]])[]
  onClose(): void
}

/** The pages of this console and its latest records. */
export default function Palette({ pages, onClose }: PaletteProps) {
  const commands = pages.map(([to, label]) => ({ group: texts.page, label, to }))
  return <CommandPalette commands={commands} load={loadRecords} search={search} onClose={onClose} />
}

/** The latest applications, anchors and jobs. */
async function loadRecords(): Promise<Command[]> {
  const [applications, anchors, jobs] = await Promise.all([
    call(listApplications, { query: {} }),
    call(listFleet, { query: {} }),
    call(listJobs, { query: {} }),
  ])
  return [
    ...applications.map(({ id, companyProfile }) => ({
      group: texts.application,
      label: companyProfile.name,
      to: paths.applications({ open: id }),
    })),
    ...anchors.map(({ id, homeDomain }) => ({
      group: texts.anchor,
      label: homeDomain,
      to: paths.fleet({ open: id }),
    })),
    ...jobs.map(({ jobId, subdomain }) => ({
      group: texts.job,
      label: subdomain,
      to: paths.jobs({ open: jobId }),
    })),
  ]
}

/** Everything that the platform finds by the text. Operators and customers lead to their entries in the audit log. */
async function search(text: string, signal: AbortSignal): Promise<Command[]> {
  const found = await call(searchEverything, { query: { text }, signal })
  return found.map(({ kind, id, label }) => ({ group: texts[kind], label, to: placeOf(kind, id) }))
}

function placeOf(kind: AnswerOf<typeof searchEverything>[number]['kind'], id: string): string {
  if (kind === 'application') return paths.applications({ open: id })
  if (kind === 'anchor') return paths.fleet({ open: id })
  if (kind === 'job') return paths.jobs({ open: id })
  return kind === 'operator'
    ? paths.audit({ actor: `operator:${id}` })
    : paths.audit({ subject: `customer:${id}` })
}
