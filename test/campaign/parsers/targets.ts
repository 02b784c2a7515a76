import { readdirSync } from 'node:fs';
import type { Target } from './target.ts';

const HERE = new URL('./targets/', import.meta.url);

/** All targets: each file in `targets/` exports some as `targets`. */
export async function allTargets(): Promise<Target[]> {
  const files = readdirSync(HERE).filter((file) => file.endsWith('.ts'));
  const found = await Promise.all(files.map(async (file) => (await import(new URL(file, HERE).href)).targets));
  return (found.flat() as Target[]).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws Error if there is none of this name. */
export async function targetNamed(name: string): Promise<Target> {
  // Of the file alone that has it: what others load would count as code that nothing reaches.
  for (const file of readdirSync(HERE)) {
    if (!file.startsWith(`${name.split('.')[0]}.`)) continue;
    const targets: Target[] = (await import(new URL(file, HERE).href)).targets;
    const found = targets.find((target) => target.name === name);
    if (found) return found;
  }
  throw new Error(`There is no target ${name}`);
}
