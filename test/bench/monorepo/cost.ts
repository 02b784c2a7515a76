import { Agent } from 'node:http';
import { median, percentile } from '../load.ts';
import { cpuOfEnded } from '../process_tree.ts';
import { runGit } from './git.ts';
import { type MonorepoServer, post, type Sent } from './server.ts';

/** What a request costs, and what git takes for the same. */
export interface Cost {
  name: string;
  /** Milliseconds of CPU of the server and the programs that it runs, without PostgreSQL, for one request. */
  own: number;
  /** Of git; not a number where it does nothing alike. */
  git: number;
  /** Milliseconds of the first request, and the median of those after it. */
  first: number;
  p50: number;
  /** Whether people see it first, so that it is to take 100 ms at most. */
  page: boolean;
}

/** What is measured: a request, and the runs of git that do the same. */
export interface Compared {
  name: string;
  request: Sent;
  /** Arguments of each run, and what it reads. */
  git: readonly { args: readonly string[]; input?: Buffer | undefined }[];
  page?: boolean;
  /** How often each is done after the first; 15 when nothing is said. */
  rounds?: number;
}

/**
 * Sends a request once and then some times more, with runs of git in the server's own repository between them: what else the machine does is
 * the same for both.
 */
export async function compareCost(server: MonorepoServer, directory: string, compared: Compared): Promise<Cost> {
  const { name, request, git, page = false, rounds = 15 } = compared;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let [own, ofGit] = [0, 0];
  try {
    const first = await timed(server, request, agent);
    for (let round = 0; round < rounds; round++) {
      const before = server.cpu();
      times.push(await timed(server, request, agent));
      own += server.cpu() - before;
      const ended = cpuOfEnded(process.pid);
      for (const { args, input } of git) await runGit(directory, args, input);
      ofGit += cpuOfEnded(process.pid) - ended;
    }
    const [each, eachOfGit] = [own / rounds, git.length > 0 ? ofGit / rounds : Number.NaN];
    return { name, own: each, git: eachOfGit, first, p50: median(times), page };
  } finally {
    agent.destroy();
  }
}

async function timed(server: MonorepoServer, request: Sent, agent: Agent): Promise<number> {
  const begun = performance.now();
  await post(server.url, request, agent);
  return performance.now() - begun;
}

/** The middle and the longest of some times, as people read it. */
export function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  return `p50 ${percentile(sorted, 0.5).toFixed(0)} ms, longest ${(sorted.at(-1) ?? Number.NaN).toFixed(0)} ms`;
}
