import { parentPort } from 'node:worker_threads';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { loadYaml } from '#src/domain/ci/pipelines/config/yaml/load.ts';

/* The thread that reads what packages say of themselves in YAML, one after another. Undefined stands for what is none. */

parentPort?.on('message', (text: string) => {
  parentPort?.postMessage(read(text));
});
parentPort?.postMessage('ready');

function read(text: string): { value?: unknown } {
  try {
    // Classes of Ruby are left out.
    return { value: loadYaml(text.replace(/(^|[\s-])!ruby\/[\w:]+(?=\s|$)/gm, '$1')) };
  } catch (error) {
    if (error instanceof InvalidConfig) return {};
    throw error;
  }
}
