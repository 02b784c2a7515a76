import qrcode from 'qrcode-generator';

/** Modules of quiet zone around the code, as its standard requires. */
const MARGIN = 4;

/** A text as a QR code: a black and white SVG in a `data:` URL, which an img element shows under any color scheme. */
export function qrCode(text: string): string {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const rows = Array.from({ length: count }, (_, row) => row);
  const dark = rows.flatMap((row) => rows.filter((column) => code.isDark(row, column)).map((column) => [row, column]));
  const path = dark.map(([row = 0, column = 0]) => `M${column + MARGIN} ${row + MARGIN}h1v1h-1z`).join('');
  const size = count + 2 * MARGIN;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
