/** Progress lines while the stack starts. */
export interface Progress {
  heading(text: string): void
  done(what: string, detail: string, milliseconds?: number): void
  note(text: string): void
  warn(text: string): void
  fail(text: string): void
  plain(text: string): void
}

const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' } as const

/** Progress on standard output; colours only on a terminal (https://no-color.org). */
export function terminalProgress(noColor: boolean): Progress {
  const colours = process.stdout.isTTY === true && !noColor
  const style = (name: keyof typeof STYLES, text: string) =>
    colours ? `\u001b[${STYLES[name]}m${text}\u001b[0m` : text
  const print = (text: string) => process.stdout.write(`${text}\n`)
  return {
    heading: text => print(`\n${style('bold', text)}`),
    done: (what, detail, milliseconds) => {
      const time = milliseconds === undefined ? '' : formatSeconds(milliseconds)
      print(`  ${style('green', '✓')} ${what.padEnd(20)} ${style('dim', time.padStart(7))}  ${detail}`)
    },
    note: text => print(`  ${style('dim', '·')} ${text}`),
    warn: text => print(`  ${style('yellow', '!')} ${text}`),
    fail: text => print(`  ${style('red', '✗')} ${text}`),
    plain: print,
  }
}

/** Milliseconds as seconds with one decimal. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

/** Rows of two columns, aligned. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')
}
