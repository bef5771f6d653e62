interface QrCodeProps {
  /** Squares on a side. */
  size: number
  /** The dark squares. */
  path: string
  label: string
}

/** A QR code, black on white in either scheme: many cameras read no other. */
export function QrCode({ size, path, label }: QrCodeProps) {
  const whole = size + 8
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-4 -4 ${whole} ${whole}`}
      className="size-52 rounded-8"
      shapeRendering="crispEdges"
    >
      <rect x="-4" y="-4" width={whole} height={whole} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
