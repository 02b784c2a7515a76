import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runPower } from '../campaign/power/campaign.ts';
import { type Model, notesOf, PowerDisk } from '../campaign/power/disk.ts';
import { CAN_RECORD, Recorder } from '../campaign/power/recorder.ts';
import { seeded } from '../campaign/seeded.ts';

const recorders: Recorder[] = [];
afterAll(() => {
  for (const recorder of recorders) recorder.remove();
});

/** Runs a script of Node on a recorded disk; all states that the disk may be in after it, by the contents of two files. */
async function statesAfter(script: string, model: Model): Promise<Set<string>> {
  const recorder = new Recorder();
  recorders.push(recorder);
  await recorder.begin();
  const disk = new PowerDisk(recorder.root, recorder.copy, () => false);
  const prologue =
    "const fs = require('fs'); const sync = (f) => { const d = fs.openSync(f, 'r'); fs.fsyncSync(d); fs.closeSync(d); };";
  execFileSync(process.execPath, ['-e', `${prologue}${script}`], {
    cwd: recorder.root,
    env: { ...process.env, NODE_OPTIONS: '', ...recorder.variables },
  });
  for (const note of notesOf(recorder.end())) disk.apply(note);
  const found = new Set<string>();
  for (let seed = 0; seed < 40; seed += 1) {
    const place = recorder.place(`cut${seed}`);
    disk.cut(place, model, seeded(seed));
    const contents = ['a', 'b'].map((name) => {
      const file = path.join(place, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : 'absent';
    });
    found.add(contents.join(' '));
  }
  return found;
}

describe.runIf(CAN_RECORD)('A disk whose power fails', () => {
  test('keeps what was synced with the directory that it is in', async () => {
    const script = "fs.writeFileSync('a', 'one', { flush: true }); sync('.'); fs.writeFileSync('b', 'two');";
    for (const model of ['journaled', 'separate'] as const) {
      const states = [...(await statesAfter(script, model))];
      expect(states.every((state) => state.startsWith('one '))).toBe(true);
      // Nothing was promised of the other one.
      expect(states).toContain('one absent');
      expect(states).toContain('one two');
    }
  });

  test('may lose the new name of a file, and has it under one of the two', async () => {
    const script = "fs.writeFileSync('a', 'one', { flush: true }); sync('.'); fs.renameSync('a', 'b');";
    expect(await statesAfter(script, 'separate')).toEqual(new Set(['one absent', 'absent one']));
  });

  test('may have the new name of a file, and not its content, which was not synced', async () => {
    const script = "fs.writeFileSync('a.new', 'one'); fs.renameSync('a.new', 'a'); sync('.');";
    const states = await statesAfter(script, 'journaled');
    expect(states).toContain(' absent');
    expect(states).not.toContain('absent absent');
  });

  test('of a busy server has everything that was acknowledged, and whole repositories', {
    timeout: 400_000,
  }, async () => {
    const lines: string[] = [];
    const result = await runPower({ seed: 59, seconds: 8, cuts: 6 }, (line) => lines.push(line));
    expect(result.found).toEqual([]);
    expect(result.refusals).toEqual([]);
    expect(result.cuts).toBe(6);
    for (const kind of ['push', 'commit', 'upload', 'lfs', 'package', 'image', 'snippet', 'wiki']) {
      expect(result.promised[kind], `${kind}: ${lines.join('\n')}`).toBeGreaterThan(0);
    }
  });
});
