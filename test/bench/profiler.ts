import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

// Loaded into a server of the bench: takes a CPU profile between two messages, and writes it to the file that the second names.

const session = new Session();
session.connect();

process.on('message', async (message: { profile?: 'start' | { file: string } }) => {
  if (message.profile === undefined) return;
  if (message.profile === 'start') {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  } else {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(message.profile.file, JSON.stringify(profile));
  }
  process.send?.({ profile: 'done' });
});
