import { existsSync, readdirSync } from 'node:fs';
import { type Campaign, optionsFrom } from './campaign.ts';

/** `node test/campaign/run.ts <name> [--minutes n] [--seed s] …` runs one campaign; without a name, or with an unknown one, it lists them. */
const here = new URL('./', import.meta.url);
const names = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/campaign.ts`, here)))
  .map(({ name }) => name)
  .sort();

const load = async (name: string): Promise<Campaign> =>
  (await import(new URL(`${name}/campaign.ts`, here).href)).campaign;

const [name = '', ...line] = process.argv.slice(2);
if (names.includes(name)) {
  const options = optionsFrom(line, Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: ${options.minutes} minutes, --seed ${options.seed}`);
  const isClean = await (await load(name)).run(options);
  process.exit(isClean ? 0 : 1);
}
console.log('Usage: node test/campaign/run.ts <name> [--minutes n] [--seed s]');
for (const one of names) console.log(`  ${one}: ${(await load(one)).summary}`);
process.exit(name === '' ? 0 : 2);
