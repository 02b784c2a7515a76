import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startThread } from '#src/git/thread.ts';
import { packageRoot } from '#src/platform/package_root.ts';

it('A thread sends its answers alone, also under `node --watch`', async () => {
  process.env.WATCH_REPORT_DEPENDENCIES = '1';
  const script =
    "import { parentPort } from 'node:worker_threads'; import 'node:fs'; parentPort.postMessage('answer');";
  const thread = startThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    maxOldGenerationSizeMb: 64,
  });
  delete process.env.WATCH_REPORT_DEPENDENCIES;
  expect(await once(thread, 'message')).toEqual(['answer']);
  await thread.terminate();
});

it('All threads are started like that', () => {
  const files = globSync('src/**/*.ts', { cwd: packageRoot }).map((file) => `${packageRoot}/${file}`);
  const starting = files.filter((file) => readFileSync(file, 'utf8').includes('new Worker('));
  expect(starting.map((file) => file.slice(packageRoot.length))).toEqual(['/src/git/thread.ts']);
});
