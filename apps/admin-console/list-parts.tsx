import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/data-screen.tsx'
import { shell } from './texts/shell.ts'

interface MoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown }
}

/** Leads on to older rows where there are any. */
export function More({ query }: MoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="mt-4 flex justify-center">
      <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {shell.more}
      </Button>
    </div>
  )
}

export function TableSkeleton() {
  return (
    <div className="divide-y divide-line rounded-8 border border-line bg-surface">
      {Array.from({ length: 8 }, (_, row) => (
        <div key={row} className="flex h-10 items-center gap-6 px-4">
          <Bar className="h-4 w-48" />
          <Bar className="h-4 w-40 max-sm:hidden" />
          <Bar className="ml-auto h-4 w-20" />
        </div>
      ))}
    </div>
  )
}
