/** The mark: an anchor hanging from the drum of a windlass. */
function Mark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden="true" className={className}>
      <rect x="1" y="1" width="30" height="30" rx="8" fill="currentColor" opacity="0.13" />
      <g stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round">
        <path d="M8 8.5h16M10.5 6v5M21.5 6v5" />
        <path d="M16 8.5V25M12.2 15.3h7.6" />
        <path d="M8.6 18.6c.5 3.9 3.4 6.4 7.4 6.4s6.9-2.5 7.4-6.4" />
      </g>
    </svg>
  )
}

export function Wordmark({ suffix }: { suffix?: string }) {
  return (
    <span className="inline-flex items-center gap-2.5">
      <Mark className="size-7 text-accent" />
      <span className="text-15 font-semibold tracking-[-0.01em]">
        Windlass{suffix && <span className="font-normal text-soft"> {suffix}</span>}
      </span>
    </span>
  )
}
