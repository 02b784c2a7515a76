import { spawner, startSpawner } from '#src/git/program/spawner.ts';
import { packagePath } from '#src/platform/package_root.ts';

// Runs before each file of tests; a worker has one spawner to its end, as the server has.
if (spawner() === null) await startSpawner(packagePath('bin/spawner.js'));
