/** The part of the library that makes a code, without what draws it on a canvas. */
declare module 'qrcode/lib/core/qrcode.js' {
  interface Code {
    modules: { size: number; data: Uint8Array }
  }
  const qrcode: { create(text: string, options: { errorCorrectionLevel: 'L' | 'M' }): Code }
  export default qrcode
}
