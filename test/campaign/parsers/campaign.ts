import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Campaign, CampaignOptions } from '../campaign.ts';
import { type Find, type Outcome, runTarget } from './run_target.ts';
import { Broken } from './target.ts';
import { allTargets, targetNamed } from './targets.ts';

/** Where the inputs of finds are written, to be read again by `--replay`. */
const FINDS = new URL('./finds/', import.meta.url).pathname;

/** Tries inputs that follow coverage on every parser of bytes that callers send. */
export const campaign: Campaign = {
  name: 'parsers',
  summary: '[--only target,target] [--replay file]  a fuzzer that follows coverage, on each parser of callers’ bytes',
  async run(options) {
    if (options.given.replay !== undefined) return replay(options.given.replay);
    const outcomes = await runAll(options);
    console.log(table(outcomes));
    return outcomes.every(({ finds }) => finds.length === 0);
  },
};

async function runAll({ minutes, seed, given }: CampaignOptions): Promise<Outcome[]> {
  const wanted = given.only?.split(',');
  const names = (await allTargets()).map(({ name }) => name);
  const chosen = names.filter((name) => wanted?.some((one) => name === one || name.startsWith(`${one}.`)) ?? true);
  const outcomes: Outcome[] = [];
  for (const name of chosen) {
    const run = { seed, inputs: Infinity, seconds: (minutes * 60) / chosen.length, withTime: true, found: keep };
    const outcome = await runTarget(name, run);
    console.log(lineOf(outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

function keep({ target, kind, message, input, id }: Find): void {
  mkdirSync(FINDS, { recursive: true });
  const file = path.join(FINDS, `${target}-${kind}-${id}`);
  writeFileSync(file, input);
  console.log(`FOUND ${target} ${kind}: ${message}\n  --replay ${file}\n  ${shown(input)}`);
}

/** The first and last characters of an input, on one line. */
function shown(input: Uint8Array): string {
  const text = Buffer.from(input).toString('latin1');
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 220)} … ${text.slice(-60)}` : text);
}

/** Reads one input again, and says what comes of it. */
async function replay(file: string): Promise<boolean> {
  const target = await targetNamed(path.basename(file).split('-')[0] ?? '');
  const input = readFileSync(file);
  let isClean = true;
  for (let round = 0; round < 4; round++) {
    const [before, heap] = [process.cpuUsage(), process.memoryUsage().rss];
    let said = 'is read';
    try {
      await target.read(input);
    } catch (error) {
      const isRefusal = (target.refusals ?? []).some((refusal) => error instanceof refusal);
      said = isRefusal ? `is refused: ${error}` : `FAILS: ${(error as Error).stack}`;
      if (!isRefusal || error instanceof Broken) isClean = false;
    }
    const { user, system } = process.cpuUsage(before);
    const grown = Math.round((process.memoryUsage().rss - heap) / 1e6);
    console.log(`${Math.round((user + system) / 1000)} ms, ${grown} MB more: ${said}`);
  }
  return isClean;
}

function lineOf({ target, tried, seconds, corpus, blocks, finds, reached }: Outcome): string {
  const ours = reached.filter(({ file }) => !file.startsWith('node_modules/'));
  return [
    `| ${target} | ${tried} | ${Math.round(tried / seconds)} | ${corpus} | ${blocks} |`,
    `${ours.length} | ${finds.length} |`,
  ].join(' ');
}

function table(outcomes: readonly Outcome[]): string {
  const head = '| target | inputs | a second | kept | blocks | files | finds |\n|---|---|---|---|---|---|---|';
  return [head, ...outcomes.map(lineOf)].join('\n');
}
