import { getWorkspaceEvidence } from '@windlass/contracts/platform/workspace-compliance.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { saveFile, saveJson } from '@windlass/ui/console/csv.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './evidence-texts.ts'

/** Saves everything about a transaction, signed, as JSON or to print. */
export function EvidenceExport({ id }: { id: string }) {
  const { id: anchorId, subdomain } = useWorkspace()
  const save = useMutation({
    mutationFn: async (pdf: boolean) => {
      const input = { params: { anchorId, id }, query: { ...(pdf && { pdf }) } }
      const file = await operator.call(getWorkspaceEvidence, input)
      const name = `${subdomain}-evidence-${id}`
      if (file.pdf === undefined) return saveJson(`${name}.json`, file)
      const bytes = Uint8Array.from(atob(file.pdf), letter => letter.charCodeAt(0))
      saveFile(`${name}.pdf`, new Blob([bytes], { type: 'application/pdf' }))
    },
  })
  return (
    <div className="space-y-3">
      {save.error && <ErrorNotice failure={{ ...describeError(save.error), title: texts.failed }} />}
      <div className="flex flex-wrap gap-2">
        <Button pending={save.isPending} onClick={() => save.mutate(false)}>
          {texts.json}
        </Button>
        <Button pending={save.isPending} onClick={() => save.mutate(true)}>
          {texts.pdf}
        </Button>
      </div>
    </div>
  )
}
