import jsqr from 'jsqr'
import type { Locator } from 'playwright-core'

/** What a phone's camera reads from a code on the screen; null: nothing. */
export async function readQrCode(code: Locator): Promise<string | null> {
  const picture = (await code.screenshot({ scale: 'css' })).toString('base64')
  // A page of its own: the one with the code may load no pictures.
  const reader = await code.page().context().newPage()
  const { width, height, pixels } = await reader.evaluate(async base64 => {
    const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const context = canvas.getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    const data = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? []
    return { width: bitmap.width, height: bitmap.height, pixels: [...data] }
  }, picture)
  await reader.close()
  return jsqr.default(Uint8ClampedArray.from(pixels), width, height)?.data ?? null
}
