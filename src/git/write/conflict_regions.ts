import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programVersion } from '../program/detect.ts';
import { besideRepository } from './merge_by_program.ts';

/** A part of a file with conflicts: text that both sides agree on, or a region for which each has another one. */
export type ConflictPart = { text: string } | { ours: string; theirs: string };

/** The contents of a file on both sides, and where they parted. */
export interface ThreeContents {
  /** Empty if both sides added the file. */
  base: Buffer;
  ours: Buffer;
  theirs: Buffer;
}

/** How long the marks of conflicts are that git writes by itself. */
const USUAL_MARK_LENGTH = 7;

/** Longer runs of the characters of marks are not told apart from marks. */
const MAX_MARK_LENGTH = 200;

/** Codes by which `git merge-file` tells how many conflicts there are; 255 says that it failed. */
const COUNTS = Array.from({ length: 128 }, (_, count) => count);

/** Whether contents can be put together as text: UTF-8 without NUL. */
export function isText(content: Buffer): boolean {
  return !content.includes(0) && isUtf8(content);
}

/**
 * The parts of files with conflicts, as `git merge-file` tells them. Without a git program, and where that sees no conflict, a file
 * is one region. All contents are text. Throws LimitExceeded.
 *
 * @param directory of the repository, in which temporary files are kept
 */
export async function conflictParts(directory: string, files: readonly ThreeContents[]): Promise<ConflictPart[][]> {
  if ((await programVersion()) === null) return files.map(wholeFile);
  return besideRepository({ directory, attributes: [] }, async (run, place) => {
    const parts: ConflictPart[][] = [];
    for (const file of files) {
      const length = markLength(file);
      if (length > MAX_MARK_LENGTH) {
        parts.push(wholeFile(file));
        continue;
      }
      const names = await writeSides(place, file);
      const labels = ['ours', 'base', 'theirs'].flatMap((name) => ['-L', name]);
      const { output } = await run(['merge-file', '-p', `--marker-size=${length}`, ...labels, ...names], COUNTS);
      const found = partsOf(output.toString('utf8'), length);
      parts.push(found.some((part) => 'ours' in part) ? withEnds(found, file) : wholeFile(file));
    }
    return parts;
  });
}

function wholeFile({ ours, theirs }: ThreeContents): ConflictPart[] {
  return [{ ours: ours.toString('utf8'), theirs: theirs.toString('utf8') }];
}

/** One more than the longest run of a character of marks with which a line begins. */
function markLength({ ours, theirs }: ThreeContents): number {
  let longest = USUAL_MARK_LENGTH - 1;
  for (const content of [ours, theirs]) {
    for (const [run] of content.toString('latin1').matchAll(/^(?:<+|=+|>+|\|+)/gm))
      longest = Math.max(longest, run.length);
  }
  return longest + 1;
}

async function writeSides(place: string, { ours, base, theirs }: ThreeContents): Promise<string[]> {
  const folder = path.join(place, `merge-${randomBytes(8).toString('hex')}`);
  await mkdir(folder);
  const sides = { ours, base, theirs };
  return Promise.all(
    Object.entries(sides).map(async ([name, content]) => {
      const file = path.join(folder, name);
      await writeFile(file, content);
      return file;
    }),
  );
}

/** Where a line of a merged text belongs. */
type PartSide = 'text' | 'ours' | 'theirs';

/** Takes a merged text apart at its marks. */
function partsOf(text: string, length: number): ConflictPart[] {
  const mark = (character: string) => character.repeat(length);
  const parts: ConflictPart[] = [];
  let side: PartSide = 'text';
  const lines: Record<PartSide, string[]> = { text: [], ours: [], theirs: [] };
  const take = (name: PartSide) => lines[name].splice(0).join('');
  const close = () => {
    const common = take('text');
    if (common !== '') parts.push({ text: common });
  };
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (side === 'text' && line.startsWith(mark('<'))) {
      close();
      side = 'ours';
    } else if (side === 'ours' && line.startsWith(mark('='))) side = 'theirs';
    else if (side === 'theirs' && line.startsWith(mark('>'))) {
      parts.push({ ours: take('ours'), theirs: take('theirs') });
      side = 'text';
    } else lines[side].push(line);
  }
  close();
  return parts;
}

/** Git ends the last line of a region in any case; here it is as in the files. */
function withEnds(parts: ConflictPart[], file: ThreeContents): ConflictPart[] {
  const last = parts.at(-1);
  if (!last || !('ours' in last)) return parts;
  const asIn = (text: string, content: Buffer) => (content.at(-1) === 0x0a ? text : text.replace(/\r?\n$/, ''));
  return [...parts.slice(0, -1), { ours: asIn(last.ours, file.ours), theirs: asIn(last.theirs, file.theirs) }];
}

/** Both sides of a region, one after the other. */
export function bothOf({ ours, theirs }: { ours: string; theirs: string }): string {
  return ours === '' || theirs === '' || ours.endsWith('\n') ? ours + theirs : `${ours}\n${theirs}`;
}
