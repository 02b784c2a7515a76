import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of CPU that a process and all below it have used, those that ended included. Not a number where /proc is not. */
export function cpuSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)));
  const children = Map.groupBy(all, ({ parent }) => parent);
  const total = (id: number): number => {
    const own = all.find((one) => one.pid === id)?.ticks ?? 0;
    return (children.get(id) ?? []).reduce((sum, child) => sum + total(child.pid), own);
  };
  return total(pid) / TICKS;
}

/** Of a second, as Linux counts for programs. */
const TICKS = 100;

function statOf(pid: number): { pid: number; parent: number; ticks: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // User and system time, of the process and of its children that ended (proc_pid_stat(5), fields 4 and 14 to 17).
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    return [{ pid, parent: fields[1] ?? 0, ticks }];
  } catch {
    return [];
  }
}
