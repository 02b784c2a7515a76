import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second, whatever the clock of its kernel. */
const MILLISECONDS = 10;

interface Process {
  pid: number;
  parent: number;
  /** Milliseconds of CPU of its own and of the children that it has waited for. */
  cpu: number;
  /** Of these those of the children. */
  ended: number;
}

/**
 * Milliseconds of CPU that a process and all those below it have used, with those that have ended, but for one of these with all that is
 * below that.
 *
 * @throws Error where there is no /proc to read them from
 */
export function cpuOf(pid: number, without?: number): number {
  return tree(pid, without).reduce((sum, { cpu }) => sum + cpu, 0);
}

/** Milliseconds of CPU of the children of a process that have ended, with all that these have waited for. */
export function cpuOfEnded(pid: number): number {
  return describe(pid)?.ended ?? Number.NaN;
}

/**
 * Resident megabytes of a process and those below it, but for one of these with all that is below that. Of those below that run the same
 * program only what they share with nobody counts, as the program itself is counted already; what others share is divided among them.
 */
export function residentMegabytes(pid: number, without?: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const kilobytes = tree(pid, without).map((one) => {
    if (one.pid === pid) return kilobytesOf(one.pid, 'status', /VmRSS:\s+(\d+)/);
    // One that has not begun with its own program yet has nothing but what it shares with its parent.
    if (read(`/proc/${one.pid}/cmdline`) === read(`/proc/${one.parent}/cmdline`)) return 0;
    if (programOf(one.pid) === programOf(pid)) {
      const own = ['Private_Clean', 'Private_Dirty'].map((name) =>
        kilobytesOf(one.pid, 'smaps_rollup', new RegExp(`^${name}:\\s+(\\d+)`, 'm')),
      );
      return own.reduce((sum, part) => sum + part);
    }
    return kilobytesOf(one.pid, 'smaps_rollup', /^Pss:\s+(\d+)/m);
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

/** The file of the program that a process runs, or null where it has ended. */
function programOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}

function kilobytesOf(pid: number, file: string, line: RegExp): number {
  return Number(line.exec(read(`/proc/${pid}/${file}`) ?? '')?.[1] ?? 0);
}

/** Whether the time of processes can be read here. */
export const countsCpu = process.platform === 'linux';

/** Which process started another one that runs. */
export function parentOf(pid: number): number | undefined {
  return describe(pid)?.parent;
}

function tree(pid: number, without?: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => describe(Number(name)) ?? []);
  const below = (parent: Process): Process[] => [
    parent,
    ...all.filter((one) => one.parent === parent.pid && one.pid !== without).flatMap(below),
  ];
  return all.filter((one) => one.pid === pid).flatMap(below);
}

function describe(pid: number): Process | null {
  // It may have ended since the directory was read.
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name is in parentheses and may hold any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (of: number[]) => of.reduce((sum, index) => sum + Number(fields[index]), 0);
  const ended = ticks([13, 14]) * MILLISECONDS;
  return { pid, parent: Number(fields[1]), cpu: ticks([11, 12]) * MILLISECONDS + ended, ended };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
