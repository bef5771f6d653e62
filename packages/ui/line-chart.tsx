import { ChartFrame, figuresAt, type ChartProps } from './charts.tsx'

const strokes = ['stroke-accent', 'stroke-control', 'stroke-good']
const HEIGHT = 40

/** Lines over the same days, and the same figures as a table for people who read rather than look. */
export function LineChart(chart: ChartProps) {
  const { labels, series } = chart
  const all = series.flatMap(({ values }) => values)
  const highest = Math.max(...all, Number.MIN_VALUE)
  const lowest = Math.min(0, ...all)
  const last = Math.max(1, labels.length - 1)
  const heightOf = (value: number) => HEIGHT - (HEIGHT * (value - lowest)) / (highest - lowest)
  return (
    <ChartFrame {...chart} highest={highest}>
      <svg
        viewBox={`0 -1 ${last} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-40 w-full overflow-visible border-b border-line"
      >
        {series.map(({ name, values }, index) => (
          <polyline
            key={name}
            points={values.map((value, at) => `${at},${heightOf(value)}`).join(' ')}
            vectorEffect="non-scaling-stroke"
            strokeWidth="2"
            className={`fill-none ${strokes[index] ?? ''}`}
          />
        ))}
        {labels.map((label, at) => (
          <rect key={label} x={at - 0.5} width={1} y={0} height={HEIGHT} className="fill-transparent">
            <title>{figuresAt(chart, at)}</title>
          </rect>
        ))}
      </svg>
    </ChartFrame>
  )
}

interface SparklineProps {
  /** What it shows, in words with its figures. */
  label: string
  values: readonly number[]
}

/** A small line beside its figure. */
export function Sparkline({ label, values }: SparklineProps) {
  const highest = Math.max(...values, Number.MIN_VALUE)
  const points = values.map((value, at) => `${at},${10 - (10 * value) / highest}`).join(' ')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${Math.max(1, values.length - 1)} 12`}
      preserveAspectRatio="none"
      className="h-10 w-full overflow-visible"
    >
      <polyline
        points={points}
        vectorEffect="non-scaling-stroke"
        strokeWidth="1.5"
        className="fill-none stroke-accent"
      />
    </svg>
  )
}
