import type { ReactNode } from 'react'

// On a 16-unit grid with one line width. Each accompanies a word, so screen readers skip it.
const drawings = {
  check: <path d="m3.5 8.5 3 3 6-7" />,
  cross: <path d="m4 4 8 8m0-8-8 8" />,
  alert: (
    <>
      <path d="M8 2.2 14.3 13.2H1.7Z" />
      <path d="M8 6.4v3M8 11.2v.1" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  dot: <circle cx="8" cy="8" r="2.5" fill="currentColor" stroke="none" />,
  ring: <circle cx="8" cy="8" r="4.5" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M3.5 10.5h-.3a.7.7 0 0 1-.7-.7V3.2c0-.4.3-.7.7-.7h6.6c.4 0 .7.3.7.7v.3" />
    </>
  ),
  arrow: <path d="M3 8h9.5m-4-4 4 4-4 4" />,
  chevron: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  up: <path d="m4.5 9.5 3.5-3.5 3.5 3.5" />,
  back: <path d="M13 8H3.5m4-4-4 4 4 4" />,
  out: <path d="M9.5 2.5h4v4m0-4L7.5 8.5m-1-5h-3a1 1 0 0 0-1 1v8c0 .6.4 1 1 1h8c.6 0 1-.4 1-1v-3" />,
  eye: (
    <>
      <path d="M1.5 8S3.8 3.5 8 3.5 14.5 8 14.5 8 12.2 12.5 8 12.5 1.5 8 1.5 8Z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  eyeOff: (
    <path d="M2.5 2.5l11 11M6.3 3.7A6.6 6.6 0 0 1 8 3.5c4.2 0 6.5 4.5 6.5 4.5a11 11 0 0 1-1.8 2.4M4 5.1A10.6 10.6 0 0 0 1.5 8S3.8 12.5 8 12.5c1 0 1.9-.2 2.7-.6" />
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.7" />
      <path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9" />
    </>
  ),
  moon: <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z" />,
  screen: (
    <>
      <rect x="2" y="2.8" width="12" height="8" rx="1.2" />
      <path d="M5.5 13.3h5" />
    </>
  ),
  anchor: (
    <>
      <circle cx="8" cy="3.3" r="1.6" />
      <path d="M8 4.9v8.9M5.3 7.2h5.4M2.5 9.3c.2 2.7 2.5 4.5 5.5 4.5s5.3-1.8 5.5-4.5" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof drawings

export const Icon = ({ name, className }: { name: IconName; className?: string }) => (
  <Drawing className={className}>{drawings[name]}</Drawing>
)

/** Lines in the way of the {@link Icon}s. */
export function Drawing({
  children,
  className = '',
}: {
  children: ReactNode
  className?: string | undefined
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`size-4 shrink-0 ${className}`}
    >
      {children}
    </svg>
  )
}

export function Spinner({ className = '' }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      aria-hidden="true"
      className={`size-4 shrink-0 animate-spin ${className}`}
    >
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}
