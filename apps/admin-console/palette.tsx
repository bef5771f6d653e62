import { listFleet, listJobs } from '@windlass/contracts/administrators.ts'
import { listApplications } from '@windlass/contracts/applications.ts'
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
  return <CommandPalette commands={commands} load={loadRecords} onClose={onClose} />
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
