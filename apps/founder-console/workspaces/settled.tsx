import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { useEffect, useRef, useState, type ReactNode } from 'react'

/** Parts that ask within this time are waited for. */
const ASKED_WITHIN_MS = 300
/** An answer is known before what it says is drawn. */
const DRAWN_WITHIN_MS = 100
const PATIENCE_MS = 4_000
const first = { predicate: ({ state }: { state: { data: unknown } }) => state.data === undefined }

/** Shows its parts together once each has its first answer, so that none pushes another one away. */
export function Settled({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [shown, setShown] = useState(false)
  const asked = useRef(false)
  // Renders again with each answer.
  useIsFetching(first)
  useEffect(() => {
    if (shown) return undefined
    if (queries.isFetching(first) > 0) asked.current = true
    else if (asked.current) {
      const drawn = setTimeout(() => setShown(true), DRAWN_WITHIN_MS)
      return () => clearTimeout(drawn)
    }
    return undefined
  })
  useEffect(() => {
    const known = setTimeout(() => asked.current || setShown(true), ASKED_WITHIN_MS)
    const late = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => {
      clearTimeout(known)
      clearTimeout(late)
    }
  }, [])
  return (
    <>
      {!shown && <Bar className="h-96" />}
      <div hidden={!shown}>{children}</div>
    </>
  )
}
