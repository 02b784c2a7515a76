import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/* Runs before start and test: installing with --ignore-scripts has left out what `npm run generate` makes. */
const root = path.dirname(import.meta.dirname);
if (!existsSync(path.join(root, 'src/generated/models.ts'))) {
  execFileSync(process.execPath, [path.join(root, 'scripts/generate.ts')], { stdio: 'inherit', cwd: root });
}
