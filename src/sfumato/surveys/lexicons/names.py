"""Frequent first names and surnames, of the United States and of some of Europe, Asia and Latin
America.

Enough to recognise a column of names, far too few to recognise a name: a hit is evidence about the
column only."""

from __future__ import annotations

from .word_list import word_list

FIRST_NAMES = word_list("""
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark
    donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary
    nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond
    patrick jack dennis jerry tyler aaron jose adam henry nathan douglas zachary peter kyle walter ethan jeremy
    harold keith christian roger noah gerald carl terry sean austin arthur lawrence jesse dylan bryan joe billy
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen nancy lisa betty margaret sandra ashley
    kimberly emily donna michelle carol amanda dorothy melissa deborah stephanie rebecca sharon laura cynthia
    kathleen amy angela shirley anna brenda pamela emma nicole helen samantha katherine christine debra rachel
    carolyn janet catherine maria heather diane ruth julie olivia joyce virginia victoria kelly lauren christina
    joan evelyn judith megan andrea cheryl hannah jacqueline martha gloria teresa ann sara madison frances kathryn
    janice jean abigail alice julia judy sophia grace denise amber doris marilyn danielle beverly isabella theresa
    diana natalie brittany charlotte marie kayla alexis lori alan albert fred louis ralph russell
    lena leon lukas jonas felix anke ursula hans klaus jurgen wolfgang sabine heike petra stefan
    pierre philippe nicolas camille chloe louise jacques francois michel sophie isabelle
    jan piet johannes cornelis anneke sanne daan maarten willem hendrik
    luis juan carlos miguel pedro jorge francisco antonio manuel javier carmen lucia rosa isabel ana pilar
    giovanni marco luca francesca giulia paolo chiara
    wei li ming yuki hiroshi kenji mohammed muhammad ahmed ali fatima omar hassan aisha priya raj anil sunita
    """)

SURNAMES = word_list("""
    smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson
    anderson thomas taylor moore jackson martin lee perez thompson white harris sanchez clark ramirez lewis robinson
    walker young allen king wright scott torres nguyen hill flores green adams nelson baker hall rivera campbell
    mitchell carter roberts gomez phillips evans turner diaz parker cruz edwards collins reyes stewart morris morales
    murphy cook rogers gutierrez ortiz morgan cooper peterson bailey reed kelly howard ramos kim cox ward richardson
    watson brooks chavez wood james bennett gray mendoza ruiz hughes price alvarez castillo sanders patel myers long
    ross foster jimenez powell jenkins perry russell sullivan bell coleman butler henderson barnes gonzales fisher
    vasquez simmons graham murray ford castro marshall owens harrison fernandez mcdonald woods washington kennedy
    wells vargas henry chen freeman webb tucker guzman burns crawford olson simpson porter hunter gordon mendez silva
    shaw snyder mason dixon munoz hunt hicks holmes palmer wagner black robertson boyd rose stone salazar fox warren
    muller schmidt schneider fischer weber meyer becker schulz hoffmann koch bauer richter klein wolf schroder
    bernard dubois durand moreau laurent simon lefebvre leroy roux fournier girard
    jansen bakker visser smit meijer mulder bos vos peters hendriks dekker dijkstra
    rossi russo ferrari esposito bianchi romano ricci conti santos oliveira souza pereira costa
    andersson johansson karlsson nilsson eriksson larsen hansen olsen nielsen jensen pedersen
    novak kowalski nowak ivanov petrov khan singh kumar sharma ahmed wang zhang liu yang huang zhao tanaka suzuki sato
    """)

NAME_PARTICLES = word_list(
    "van von der den de da di del la le du bin al jr sr ii iii dr mr mrs ms miss prof md"
)
