interface QrCodeProps {
  /** Squares on a side. */
  size: number
  /** The dark squares. */
  path: string
  label: string
}

/** A QR code, dark on white in either scheme. */
export function QrCode({ size, path, label }: QrCodeProps) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-4 -4 ${size + 8} ${size + 8}`}
      className="size-52 rounded-8 bg-white"
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
