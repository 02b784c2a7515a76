import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '../report.ts';
import { RepositoryServer } from '../repository/server.ts';
import { accountAttacks } from './accounts.ts';
import type { Attack } from './attack.ts';
import { compatAttacks } from './compat.ts';
import { gitAttacks } from './git.ts';
import { graphqlAttacks } from './graphql.ts';
import { packageAttacks } from './packages.ts';
import type { Seen } from './prober.ts';
import { restAttacks } from './rest.ts';
import { cpuSeconds } from './usage.ts';

/** Milliseconds for which many senders attack at once. */
const SIEGE = 3_000;
const SENDERS = 50;

/** What one attack did to a server and to those who asked it meanwhile. */
interface Damage {
  /** What the sender was told. */
  answer: string;
  /** The longest wait of others for an answer, in milliseconds. */
  stall: number;
  /** How much resident memory grew, in MB. */
  memory: number;
  /** Seconds of CPU of the server, its PostgreSQL and its git programs. */
  cpu: number;
  /** Answers to many senders at once, and how often each came. */
  answers: string;
  /** The 99th percentile of others' reads meanwhile, in milliseconds. */
  reads: number;
}

/**
 * Runs every attack beside somebody who asks the server every ten milliseconds: once alone, then from many connections at
 * once.
 *
 * @param wanted part of the names of those to run; all when absent
 * @param print takes each line of the table as it is ready
 */
export async function measureAttacks(wanted: string | undefined, print: (text: string) => void): Promise<void> {
  const all = [
    ...graphqlAttacks,
    ...compatAttacks,
    ...restAttacks,
    ...packageAttacks,
    ...accountAttacks,
    ...gitAttacks,
  ];
  let scene = await Scene.open();
  const rows: string[][] = [];
  try {
    for (const attack of all.filter(({ name }) => wanted === undefined || name.includes(wanted))) {
      const damage = await scene.suffer(attack).catch((error) => `failed: ${(error as Error).message.slice(0, 200)}`);
      rows.push(rowOf(attack, damage));
      print(rows.at(-1)?.join(' | ') ?? '');
      if (await scene.isAlive()) continue;
      rows.push([attack.name, 'the server ended', '', '', '', '', '']);
      await scene.close();
      scene = await Scene.open();
    }
  } finally {
    await scene.close();
  }
  const header = [
    'attack',
    'answer',
    'stall ms (≤ 250)',
    'memory MB (≤ 200)',
    'CPU s (anonymous ≤ 1)',
    `answers to ${SENDERS} senders`,
    'reads of others, p99 ms (≤ 1000)',
  ];
  print(table(header, rows));
}

function rowOf({ name, anonymous }: Attack, damage: Damage | string): string[] {
  const about = `${name}${anonymous ? ' (anonymous)' : ''}`;
  if (typeof damage === 'string') return [about, damage, '', '', '', '', ''];
  const { answer, stall, memory, cpu, answers, reads } = damage;
  return [about, answer, stall.toFixed(0), memory.toFixed(0), cpu.toFixed(2), answers, reads.toFixed(0)];
}

/** A server that is attacked, and somebody else who uses it. */
class Scene {
  readonly #server: RepositoryServer;
  readonly #prober: ChildProcess;

  private constructor(server: RepositoryServer, prober: ChildProcess) {
    this.#server = server;
    this.#prober = prober;
  }

  static async open(): Promise<Scene> {
    const server = await RepositoryServer.start();
    const { text } = await server.ask('projects', { name: 'read', visibility: 'public' });
    const script = path.join(import.meta.dirname, 'prober.ts');
    // Somebody else than any of the senders: who shares a caller shares its turns.
    const person = {
      username: 'reader',
      name: 'Reader',
      email: 'reader@example.com',
      password: 'correct horse battery',
    };
    const { id } = JSON.parse((await server.ask('users', person)).text);
    const wanted = { name: 'reads', scopes: ['api'] };
    const { token } = JSON.parse((await server.ask(`users/${id}/impersonation_tokens`, wanted)).text);
    const prober = fork(script, [server.url, `/api/v4/projects/${JSON.parse(text).id}`, token]);
    const scene = new Scene(server, prober);
    await scene.#seen();
    return scene;
  }

  async suffer(attack: Attack): Promise<Damage> {
    const send = await attack.prepare(this.#server);
    await sleep(1_000);
    await this.#seen();
    const before = { memory: this.#server.memory(), cpu: cpuSeconds(this.#server.pid) };
    let answer = '';
    const memory = await this.#server.growth(before.memory, async () => {
      answer = await send().catch(reasonOf);
    });
    await sleep(200);
    const cpu = cpuSeconds(this.#server.pid) - before.cpu;
    const { stall } = await this.#seen();
    const answers = await this.#besiege(send, attack.connections ?? SENDERS);
    const { reads } = await this.#seen();
    return { answer, stall, memory, cpu, answers, reads };
  }

  async #besiege(send: () => Promise<string>, connections: number): Promise<string> {
    const counts = new Map<string, number>();
    const end = performance.now() + SIEGE;
    const sender = async () => {
      while (performance.now() < end) {
        const answer = await send().catch(reasonOf);
        counts.set(answer, (counts.get(answer) ?? 0) + 1);
      }
    };
    const all = Promise.all(Array.from({ length: connections }, sender));
    await Promise.race([all, sleep(10 * SIEGE, undefined, { ref: false })]);
    return [...counts].map(([answer, count]) => `${count} × ${answer}`).join(', ');
  }

  async isAlive(): Promise<boolean> {
    try {
      return (await fetch(`${this.#server.url}/-/liveness`)).ok;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#prober.disconnect();
    await this.#server.stop().catch(() => undefined);
  }

  /** What others have met since this was asked last. */
  async #seen(): Promise<Seen> {
    this.#prober.send('take');
    const [seen] = (await once(this.#prober, 'message')) as [Seen];
    return seen;
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message.slice(0, 40);
}
