import { useEffect, useState } from 'react';
import type { Contact } from '../../contracts/app/slots.ts';
import { bytesText, countText } from '../routing/numbers.ts';
import { useSession } from '../stores/use-session.ts';
import { SettingSection } from './setting-section.tsx';

/** What left this computer, by host. Asked for when it is looked at. */
export function Contacts() {
  const session = useSession();
  const [contacts, setContacts] = useState<readonly Contact[] | null>(null);
  useEffect(() => {
    let isShown = true;
    // Without an answer the section says that it is asking; the connection bar says why.
    session.client.slots.contacts({}).then(
      (told) => (isShown ? setContacts(told) : undefined),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [session]);
  return (
    <SettingSection
      title="What leaves this computer"
      about="Every host that this program has contacted, and how much went each way."
    >
      {contacts === null ? <p className="muted">Asking…</p> : null}
      {contacts?.length === 0 ? <p>Nothing so far.</p> : null}
      {contacts === null || contacts.length === 0 ? null : (
        <ul className="contacts" role="list">
          {contacts.map((contact) => (
            <li key={`${contact.host} ${contact.purpose}`}>
              <span className="mono">{contact.host}</span>
              <span className="muted">
                {contact.purpose}: {countText(contact.requests, 'request')},{' '}
                {bytesText(contact.bytesSent)} sent, {bytesText(contact.bytesReceived)} received
              </span>
            </li>
          ))}
        </ul>
      )}
    </SettingSection>
  );
}
