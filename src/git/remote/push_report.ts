import { encodeName } from '../base/names.ts';
import { FLUSH, MAX_LINE_BYTES, pktLine } from './pkt_line.ts';

/** What became of a push. */
export interface PushReport {
  /** Why the objects were not taken; null if they were. */
  unpack: string | null;
  /** By ref, why it was not changed; null if it was. */
  refs: readonly { name: string; refused: string | null }[];
}

/** Tells a client on the line what happens while it waits, as far as it understands that. */
export const KEEP_ALIVE = Buffer.from('0005\x01', 'latin1');

/**
 * The report for a client with these capabilities, as the body of the answer.
 *
 * @param notices lines that the client prints, if it can
 */
export function encodeReport(
  { unpack, refs }: PushReport,
  capabilities: ReadonlySet<string>,
  notices: readonly string[] = [],
): Buffer {
  if (!capabilities.has('report-status')) return Buffer.alloc(0);
  const lines = refs.map(({ name, refused }) => {
    const [verdict, reason] = refused === null ? ['ok ', ''] : ['ng ', ` ${oneLine(refused)}`];
    return pktLine(Buffer.concat([Buffer.from(verdict), encodeName(name), Buffer.from(`${reason}\n`)]));
  });
  const report = Buffer.concat([pktLine(`unpack ${unpack === null ? 'ok' : oneLine(unpack)}\n`), ...lines, FLUSH]);
  if (!capabilities.has('side-band-64k')) return report;
  const printed = Buffer.from(notices.map((line) => `${line}\n`).join(''));
  return Buffer.concat([...band(2, printed), ...band(1, report), FLUSH]);
}

function band(number: 1 | 2, content: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  const step = MAX_LINE_BYTES - 1;
  for (let at = 0; at < content.length; at += step) {
    packets.push(pktLine(Buffer.concat([Buffer.from([number]), content.subarray(at, at + step)])));
  }
  return packets;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
}
