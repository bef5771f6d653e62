/** A placeholder for a line of text. */
export function Bar({ className = 'h-4 w-full' }: { className?: string }) {
  return <span className={`block rounded-6 bg-hover ${className}`} />
}
