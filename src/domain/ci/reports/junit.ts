import { gunzipSync } from 'node:zlib';
import { BadXml, readXml, type XmlEvent } from '#src/domain/ci/reports/xml.ts';

export const TEST_STATUSES = ['success', 'failed', 'skipped', 'error'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

/** A test of a report. */
export interface TestCase {
  status: TestStatus;
  name: string;
  classname: string | null;
  file: string | null;
  /** In seconds. */
  executionTime: number;
  /** What the test printed when it failed, or why it was skipped. */
  systemOutput: string | null;
  /** Path of a file in the artifacts of the job that shows more. */
  attachment: string | null;
}

/** What a report holds: its tests, or why it cannot be read. */
export interface ParsedReport {
  cases: TestCase[];
  error: string | null;
}

/** Bytes of the largest report, unpacked; tests of the longest; characters of the longest text of a test. */
export const REPORT_LIMITS = { bytes: 20 * 1024 * 1024, cases: 50_000, text: 16 * 1024 };

/** Reads a JUnit report that is compressed with gzip: one XML document, or several after each other. */
export function parseJunit(packed: Uint8Array): ParsedReport {
  try {
    const bytes = gunzipSync(packed, { maxOutputLength: REPORT_LIMITS.bytes });
    return { cases: casesOf(new TextDecoder(encodingOf(bytes)).decode(bytes)), error: null };
  } catch (error) {
    if (error instanceof BadXml) return { cases: [], error: `JUnit XML parsing failed: ${error.message}` };
    const { code } = error as NodeJS.ErrnoException;
    const isTooLarge = code === 'ERR_BUFFER_TOO_LARGE';
    return { cases: [], error: isTooLarge ? TOO_LARGE : 'JUnit report cannot be unpacked' };
  }
}

const TOO_LARGE = `JUnit report is larger than ${REPORT_LIMITS.bytes} bytes`;

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  const [, named] = /^\s*<\?xml[^>]*encoding=["'](iso-8859-1|windows-1252)["']/i.exec(
    Buffer.from(bytes.subarray(0, 200)).toString('latin1'),
  ) ?? [null, null];
  return named ?? 'utf-8';
}

/** The elements that say how a test ended, by what their presence means. */
const OUTCOMES: Readonly<Record<string, TestStatus>> = { failure: 'failed', error: 'error', skipped: 'skipped' };

function casesOf(text: string): TestCase[] {
  const cases: TestCase[] = [];
  /** Files that the suites around say that they are in. */
  const suites: (string | null)[] = [];
  let one: TestCase | null = null;
  let within: string | null = null;
  let isReport = false;
  let collected = '';
  for (const event of readXml(text)) {
    if (event.kind === 'text') {
      if (one && within && collected.length < REPORT_LIMITS.text) collected += event.text;
    } else if (event.kind === 'start') {
      isReport ||= event.name === 'testsuites' || event.name === 'testsuite';
      if (event.name === 'testsuite') suites.push(textOf(event, 'file') ?? suites.at(-1) ?? null);
      else if (event.name === 'testcase') one = startCase(event, suites.at(-1) ?? null);
      else if (one && within === null) {
        [within, collected] = [event.name, ''];
        const status = Object.hasOwn(OUTCOMES, event.name) ? OUTCOMES[event.name] : undefined;
        if (status) Object.assign(one, { status, systemOutput: textOf(event, 'message') });
      }
    } else if (event.name === 'testsuite') suites.pop();
    else if (event.name === 'testcase' && one) {
      if (cases.push(one) > REPORT_LIMITS.cases) throw new BadXml(`There are more than ${REPORT_LIMITS.cases} tests`);
      one = null;
    } else if (one && event.name === within) {
      endPart(one, within, collected.slice(0, REPORT_LIMITS.text));
      within = null;
    }
  }
  if (!isReport) throw new BadXml('There are no test suites');
  return cases;
}

type Start = Extract<XmlEvent, { kind: 'start' }>;

function startCase(event: Start, file: string | null): TestCase {
  const time = Number(textOf(event, 'time')?.replaceAll(',', ''));
  return {
    status: 'success',
    name: textOf(event, 'name') ?? '',
    classname: textOf(event, 'classname'),
    file: textOf(event, 'file') ?? file,
    executionTime: Number.isFinite(time) && time > 0 ? time : 0,
    systemOutput: null,
    attachment: null,
  };
}

function endPart(one: TestCase, name: string, text: string): void {
  if (Object.hasOwn(OUTCOMES, name)) {
    if (text.trim() !== '') one.systemOutput = text;
    return;
  }
  if (name === 'system-out') one.attachment = /\[\[ATTACHMENT\|([^\]\n]{1,1000})\]\]/.exec(text)?.[1] ?? null;
}

function textOf({ attributes }: Start, name: string): string | null {
  const text = attributes.get(name)?.slice(0, REPORT_LIMITS.text);
  return text === undefined || text === '' ? null : text;
}
