import { createMessage, readCleartextMessage, readKey, readSignature, verify } from 'openpgp';

/** The text that was signed in the clear with a key; throws unless it was. */
export async function cleartextVerified(cleartextMessage: string, armoredKey: string): Promise<string> {
  const message = await readCleartextMessage({ cleartextMessage });
  const { signatures } = await verify({ message, verificationKeys: await readKey({ armoredKey }) });
  await signatures[0]?.verified;
  return `${message.getText().replaceAll('\r\n', '\n')}\n`.replace(/\n+$/, '\n');
}

/** Whether a signature apart from the text was made of it with a key. */
export async function detachedVerified(text: string, armoredSignature: string, armoredKey: string): Promise<boolean> {
  const { signatures } = await verify({
    message: await createMessage({ binary: Buffer.from(text) }),
    signature: await readSignature({ armoredSignature }),
    verificationKeys: await readKey({ armoredKey }),
  });
  return (await signatures[0]?.verified.catch(() => false)) ?? false;
}
