import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';

/** How much lower the priority of V8's threads is than that of the process. */
const LOWER = 10;

const TASKS = '/proc/self/task';

/**
 * Lets the threads in which V8 optimizes code, and collects garbage beside the main one, go last wherever processors are scarce:
 * whoever waits for an answer waits for the main thread and for git. Only Linux tells the threads of a process apart; elsewhere
 * nothing happens.
 *
 * @returns how many there are
 */
export function calmHelpers(): number {
  try {
    const helpers = readdirSync(TASKS).filter((id) => readFileSync(`${TASKS}/${id}/comm`, 'utf8') === 'V8Worker\n');
    const priority = Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority() + LOWER);
    for (const id of helpers) os.setPriority(Number(id), priority);
    return helpers.length;
  } catch {
    // The system has no such directory, or does not let a process change its priority.
    return 0;
  }
}
