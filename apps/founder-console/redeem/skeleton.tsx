import { Bar } from '@windlass/ui/bar.tsx'

/** Has the shape of the form. */
export function RedeemSkeleton() {
  return (
    <div className="space-y-6">
      <Bar className="h-7 w-64" />
      <Bar className="h-5 w-96 max-w-full" />
      {[1, 2, 3].map(field => (
        <div key={field} className="space-y-2">
          <Bar className="h-4 w-32" />
          <Bar className="h-9" />
        </div>
      ))}
    </div>
  )
}
