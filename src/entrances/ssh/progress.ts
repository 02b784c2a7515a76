import { Gone } from '#src/domain/repository/remote/failure.ts';
import type { ChannelInput, ChannelOutput } from '#src/entrances/ssh/channel_io.ts';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';

/**
 * Ends a command when its client neither sends nor reads what it should, or when it takes too long in all. Does not count time in
 * which the server itself is working. The returned function stops watching.
 */
export function watchCommand(
  { input, output }: { input: ChannelInput; output: ChannelOutput },
  controller: AbortController,
  { silence, total, window, bytes }: Pick<SshLimits, 'silence' | 'total' | 'window' | 'bytes'>,
): () => void {
  const end = (reason: string) => controller.abort(new Gone(reason));
  const timer = setTimeout(end, total, 'The command took too long.');
  let last = { received: 0, sent: 0, awaited: false };
  let silent = 0;
  const pace = Math.min(window, silence);
  const watch = setInterval(() => {
    const now = { received: input.received, sent: output.sent, awaited: output.isAwaiting };
    const isStuck = now.awaited && last.awaited && now.sent - last.sent < bytes;
    const isSilent = input.isAwaited && !now.awaited && now.received === last.received && now.sent === last.sent;
    silent = isSilent ? silent + pace : 0;
    last = now;
    if (isStuck) end(`The client has to take ${bytes} bytes within ${window / 1000} s.`);
    else if (silent >= silence) end('Nothing came for too long.');
  }, pace);
  return () => {
    clearTimeout(timer);
    clearInterval(watch);
  };
}
