/**
 * Words that common passwords are made of: the heads of public lists of leaked passwords, such as
 * names, teams, animals, cars, bands, games and oaths, in several languages, and whole passwords
 * that follow no rule.
 */
export const commonWords: ReadonlySet<string> = new Set(
  `
  1a2b3c 1q2w3e 1q2w3e4r 1qaz2wsx 2pac 420420 50cent a1b2c3 a1b2c3d4 aaa111 aaaaaa aaron abba abc
  abc123 abcabc abcd abcd1234 abcde abcdef abcdefg abcdefgh abigail access access14 accord
  accountant acdc achilles acmilan acura adam admin adminadmin administrator admiral adriana
  aerosmith africa agent agent007 ahmed airborne airbus airforce airplane airplanes ajax ak47
  aladdin alan alaska albert alejandra alejandro alessandro alexander alexandra alexandria alexis
  alfaromeo alhamdulillah alice alien aliens allah allahuakbar alligator alone alpha alphaomega
  altima always amanda amber amen america america1 american amor amore amoremio amores amormio amy
  andrea andrew andrey android angel angel1 angela angelica angelito angels angry anhyeuem ann anna
  anonymous ant anthony antonio anyone anything apache apollo apple apple1 apples april aragorn
  archangel ares argentina arizona army arrow arsenal artemis arthur asdf asdf1234 asdfg asdfgh
  asdfghjkl asdfjkl ashley ass assassin asshole astronaut astros athena atlanta atlas atomic audi
  august austin australia autumn avatar avengers aviation azerty azertyuiop baby babyboy babydoll
  babyface babygirl babylove bacardi backstreet backup bacon badass badboy badgirl bambi banana
  bananas bangladesh bank banking barbara barbie barbiegirl barcelona barfoo bartsimpson baseball
  basketball bass bassist bastard batman battlefield bayern beach beachbum bear bears beatles
  beautiful beauty beaver bebe beckham bee beer beetle beijing believe bella bellaswan bender
  benfica bengals benjamin benz beretta berlin besiktas bestfriend beta betty beyonce bieber
  bienvenido bienvenue bigben bigboy bigdaddy bigdog biggie biggirl bigmac bigman bigred bigtruck
  biker bilbo billion billy biology bird birdie birthday bismillah bismillah1 bitch bitches black
  blackberry blackbird blackcat blackdragon blackhole blackjack blackpanther blacksabbath blackstar
  blackwhite blade bladerunner blessed blessing blink182 blizzard blonde blondie blondy blowjob blue
  blueberry bluebird blueblue blueeyes blues bluesky bmw bmw325 boat boats bobby bobmarley boeing
  bomb bomber bond bond007 bonita bonjour bonjour1 bonjovi boobs boom boomer booty bored boring boss
  bossman boston bourbon boxer boxing boyfriend brandon brasil brasil1 braveheart braves bravo
  brazil breakingbad brenda brian british britney brittany broadway bronco broncos bronze brooklyn
  brother brown browneyes brownie browns brownsugar bruce bryan budweiser bugatti bugsbunny buick
  builder bulldog bulldogs bullet bulletproof bulls bullshit bumblebee bunny burger burrito business
  butter butterfly cadillac cairo california callofduty camaro camel camel1 camille camry canada
  candy candycane candyman cannabis cantremember canyon captain captain1 captainmorgan caramel
  carbon cardinals cariño carl carlos carol carolina carolina1 carolyn carpenter carrot cartman cash
  cat cat123 catalina caterpillar catherine cats catwoman cavaliers cedar celica celine celtic
  celtics ceo chairman challenger champ champion champions changeit changeme changethis charger
  chargers charizard charles charlie charm cheerleader cheers cheese cheeseburger cheetah chelsea
  chemistry cherokee cherry cheryl chevelle chevrolet chevy chewbacca chicago chicken children chile
  china chiquita chivas chocolat chocolate chouchou christ christian christian1 christina christine
  christmas christopher chrome chronic chrysler cia ciao ciaociao cigarette cinderella cinnamon
  cintaku cisco citroen civic class classof clave cleveland cloud cobra cobra1 cobra427 cocacola
  cock coconut coffee coke coldplay college colombia colonel colorado colts comein comet commando
  company compaq computer computers concorde construction contrasena contrasenia contraseña cookie
  cookies copper corazon corinthians corolla corona corporal correct corvette cosmos coucou cougar
  counter counterstrike courtney cow cowboy cowboys cowgirl cracker crazy crazyboy crazygirl cricket
  cristiano cristina crocodile crow crystal crystal1 cuba cubs cumshot cupcake cute cutie cutiepie
  cycling cynthia daddy daddysgirl dagger daisy dakota dale daleearnhardt dallas dance dancer
  dancing daniel daniela danielle dark darkangel darkness darkside darthvader database david
  davidbeckham davidson deadpool debian deborah debra december default delhi dell delta deltaforce
  demo demon demouser dennis dentist denver desert desktop destiny detective detroit deus
  deutschland developer devil dexter dhoni diablo diablo2 diamond diamonds diane dickhead diesel
  digimon director dirtbike disney disneyland disneyworld dmitry doctor doctorwho dodge dodgeram
  dodgers dog doggie doggy dogs dollar dollars dolphin dolphins donald donald1 donaldduck donkey
  donna dontforget donut dorothy dortmund dota double doudou douglas dragon dragonball dragonfly
  dragons dream dreamcatcher dreamer dreaming dreams driver drpepper drum drummer drums dublin
  ducati duck ducky dumbass dumbledore dumbo dylan dynamite eagle eagles earnhardt earth easter
  eastside echo eclipse eduardo edward edwardcullen egypt eight electric electrician elephant eleven
  elijah elizabeth elsa elvis elvispresley email emerald emily eminem emma emo employee engineer
  england english enter enterme enterprise epsilon eric erica erika escalade escort espana esperanza
  espresso estrella eternal eternity ethan eugene evanescence evelyn everquest everton everyone
  everything excalibur explorer explosive facebook faith falcon falcon1 falcons familia family
  familyguy fantasy farm farmer fashion father fatima fbi february fenerbahce fernanda fernando
  ferrari fiat ficken fiesta finalfantasy finance findingnemo fire fireball firebird fireblade
  firefighter firefly firefox fireman firewall firstone fish fisher fishing five flame flamengo
  florida flower flowers flying focus foo foobar football ford fordf150 forest forever foreverlove
  forget forgot fortnite fortune forzamilan four fox foxtrot foxy france frances francesco francisco
  frank freak freaky freedom french freshman friday friday13 friend friends friendship frodo frog
  froggy frozen fuck fucker fuckit fuckme fuckoff fuckthis fuckyou fussball futurama gabriel
  gabriela galant galatasaray galaxy game gameboy gamecube gameofthrones gameover gamer games gaming
  gamma gandalf ganesh gangsta gangster ganja ganja420 garden garfield garlic gary gatorade gay
  gecko geek geeky geheim general george georgia gerald germany germany1 gerrard ghost giants ginger
  giovanni giraffe girlfriend giuseppe gladiator glock gloria gmail goat god godbless godfather
  godisgood godislove goku gold golden goldeneye goldfish golf golf1 golfer golfgti golfing gollum
  goodbye goodluck goodmorning goodnight goofy google goose goose1 gorgeous gorilla goth gothic
  grace graduate grandma grandpa grape grapes gray green greenday greeneyes gregory gremio grey
  griffin gryffindor gti gtr guadalupe guest guestuser guinness guitar guitarist gun guns gunsnroses
  gymnast hacker hackers hacking hackme hades hallo hallo123 hallohallo halloween halo halo3
  hamburger hamster handsome hannah hannahmontana hansolo hanuman happiness happy happyday happylife
  hardcore hardware harley harleydavidson harold harrypotter harrystyles hawaii hawk heat heather
  heaven heavymetal heineken heisenberg helen helicopter hell hello hello1 hellohello hellokitty
  hellothere helloworld henry hercules hermione hermosa hero heroes highlife highschool hiphop hippo
  history hobbit hockey hogwarts hola holahola holiday hollywood homer homersimpson honda hondacivic
  honey honeybee honeydew hongkong hooters hope horse horses hot hotdog hotel hotgirl hotmail hotrod
  hotstuff hottie houston howdy hulk hummer hundred hungry hunter hurricane husband husky hustler
  ibrahim ice iceberg icecream iceman iceman1 idiot iforgot illinois ilove ilovegod iloveher
  ilovehim ilovejesus iloveme ilovemom ilovemydad ilovemyself iloveu iloveyou iloveyou1 iloveyou2
  iloveyoubaby iluvu imagine immortal impala impreza incorrect india india1 india123 indiana
  indonesia inferno infinity insane inshallah instagram insurance integra intel intermilan
  internacional internet investor iphone ipod ireland irish iron ironmaiden ironman isabella island
  islander itachi italia italy jack jackdaniels jackson jacob jacobblack jacqueline jade jaguar
  jaguars jaimatadi jakarta jamaica james jamesbond janet janice january japan jasmin jasmine jason
  jayz jazz jean jedi jedimaster jeep jeffgordon jeffrey jelly jennifer jeremy jerry jesse jessica
  jesus jesus1 jesuschrist jesuscristo jesuslovesme jetaime jetta joan joe john johndeere johnlennon
  johnny joker jonasbrothers jonathan jordan jordan1 jordan23 jose joseph joshua joyce juan judith
  judy julia julie juliet july june jungle jupiter justice justin justin1 justinbieber juventus
  juventus1 kaka kakashi kanye karate karen katherine kathleen kathryn katyperry kawasaki keith
  kelly kenneth kenny kentucky kevin keyboard khadija khaleesi kids killer kilo kimberly king
  kingdomhearts kingkong kiss kitten kitty kittycat knicks knight koala kobe kobebryant korea korn
  krishna kurtcobain kyle labrador ladybug ladygaga lake lakers lakshmi lamb lamborghini lancer
  lannister laptop laracroft larry laser lasvegas laura lauren lavender lawrence lawyer lazy
  leagueoflegends lebron lebronjames ledzeppelin legend legendary legolas lemon lemonade lenovo
  leomessi leopard lesbian letmein letmein1 letmeinnow lexus liberty library library1 liebe
  lieutenant lightning lily lima lime limpbizkit lincoln linda linkinpark linux lion lioness
  lionking lions lisa liverpool lizard logan login logon loki lol123 lollipop london lonely
  lordoftherings loser louis loulou love love123 lovebug lovehate lovelove lovely loveme lover
  loverboy lovergirl lovers loveu loveyou lubov lucifer lucky lucky13 lucky7 luckydog luckyme luigi
  lukeskywalker lunatic macbook macintosh madison madonna madrid mafia magic magical magician
  mahalkita mahalko major maksim malaysia mama mamma manager manchester mancity mango manhattan
  maniac manson manunited manutd maple maradona march margaret maria mariah mariana marijuana
  marilyn marina marine marines mario mariposa mark marketing marlboro marley mars marseille martha
  mary maserati master masterchief math mathematics matkhau matrix matthew maverick maxima may mazda
  mechanic medical megadeth megan melbourne melissa memphis meow mercedes mercedesbenz mercury messi
  metal metalgear metallica metallica1 metroid mets mexico mexico1 miami miamor miata michael
  michaeljackson michaeljordan michelle michigan mickey mickeymouse microsoft midnight miguel mike
  milan mileycyrus millennium million millionaire mimamor minecraft minnesota minnie miranda mission
  mitsubishi mocha model mohamed mohammed mommy monday money moneyman mongodb monica monitor monkey
  monkey1 monkeyman monkeys monster montana montreal moon moonlight mordor moron morpheus
  mortalkombat moscow mosquito motdepasse mother motherfucker motocross motorbike motorcycle
  motorola mountain mountaindew mountains mouse muffin muhammad mulan mumbai music musica musician
  mustafa mustang mustang1 mustanggt mybaby mylove mylover mypass mypassword mysecret myspace mysql
  mystery mystic nacho namaste nancy naruto nasa nascar nashville nastya natalie natasha natasha1
  nathan nature naughty navy nemo neo neptune nerd network nevada newcastle newpass newpassword
  newport newyear newyork newyorkcity neymar nicholas nickelback nicolas nicole nigeria night
  nightmare nine ninja nintendo nirvana nissan nitro noah nobody nokia noodle noodles noone nopass
  nopassword northside nothing november november1 nsync nuclear number number1 numberone numero
  nurse nursing nuts nvidia oak ocean october odin office officer ohio oklahoma olaf oldpassword
  olivia omega omsairam one onedirection onepiece onetwo onetwothree onion open openme opensesame
  openup operator oracle orange orange1 oranges orchid oregon orioles orlando oscar overwatch owl
  ozzy packers pakistan pakistan1 palmeiras palmtree pamela pancake panda pantera panther panthers
  papa papa1 papaya paratrooper paris parol parrot pass pass1word passat passcode passme passwd
  password passwort passwort1 pasta patricia patrick patrick1 patriots paul peace peach peaches
  peanut peanutbutter peanuts pearl pegasus pele penguin penis pentium pepper pepsi peru peter
  peugeot philip philippines phillies philosophy phoenix phoenix1 phreak physics piano picard pickle
  pickles pig piggy pikachu pilot pimp pimpin pineapple pink pinkfloyd pinkpink pinky pinoy pirate
  pistol pistons pizza pizzahut planet platinum playboy player player1 playful playgirl playmate
  playstation playstation2 playstation3 please pleaseletmein plumber pluto pocahontas pokemon
  polarbear police policeman pontiac pony poodle pooh popcorn porn pornstar porsche porsche911
  portland porto poseidon postgres potato potsmoker powerranger praise preciosa predator prelude
  president pretty prettygirl prince princesa princess principal printer private private1 privet
  priyanka programmer psycho psychology puma pumpkin puppies puppy purple pussy pussycat python
  q1w2e3r4 qazwsx qazwsxedc quebec queen queen1 queenbee quidditch qweasd qweasdzxc qwer1234 qwert
  qwerty qwerty1 qwertyui qwertyuiop qwertz rabbit racecar racer rachel racing radeon radiation
  radiohead rafael rahasia raiders railroad rainbow rajesh ralph rambo rammstein ramones randy
  ranger ranger2 rangers rangers1 rap rapper rapunzel raspberry rat rattlesnake raven ravens raymond
  realestate realmadrid rebecca red redbull reddragon redhat redhead redrose redskins redsox reggae
  remember remington renault residentevil rhino ricardo rich richard rifle rihanna river robert
  roberto robin roblox rock rocker rocket rockets rockhard rocknroll rockstar rocky roger
  rollingstones roma rome romeo romeoandjuliet ronald ronaldinho ronaldo rooney rooster root rose
  roses rottweiler roy ruby rugby runescape runner running russell russia ruth ryan saab sabrina
  sachin sad saibaba sailboat sailing sailor sailormoon saints sairam sakura salam sales salesman
  samantha samsung samuel samurai sandra sandwich sapphire sara sarah sasuke satan saturday saturn
  sauron sausage sayang sayangku scarface schatz schatzi school science scientist scooby scoobydoo
  scorpion scotland scott seahawks sean seattle secret secretagent secretary secreto secure security
  sega selena selenagomez semperfi senha senior seniors sentra seoul sephiroth september sergeant
  sergey server sesame seven seven7 sex sexpistols sexy sexybitch sexyboy sexygirl sexylady sexymama
  sexything shadow shadows shakira shanghai shaq shark sharks sharon sheep shelby shepherd sheriff
  sherlock shirley shit shiva shivani shooting shotgun shrek sierra sigma signin silly silver
  silverado simba simpson singapore singer single sister six skateboard skater skating skoda
  skydiver skyfall skyline skywalker slayer sleep sleepy slimshady slipknot slytherin smile smiley
  smoke smokeweed smokey snake sniper snoopdogg snoopy snow snowball snowboard snowboarding
  snowflake snowman snowwhite soccer softball software soldier soleil solidsnake somebody someone
  something sommer sonic sonnenschein sophia southpark southside space spaghetti spain spanish
  spartacus spartak spartan speed speedracer speedy spicegirls spider spiderman spock spongebob
  sporting spring sprite spurs spy squirrel srilanka stallion star starbucks starcraft stark
  starlight stars starten startrek starwars states steel steelers stephanie stephen steven stone
  stoner storm stormtrooper stormy strawberry streetfighter student students stupid subaru
  subhanallah subzero sugar sum41 summer sunday sunflower sunny sunrise sunset sunshine superboy
  supergirl superhero superman supermario supernatural superstar superuser supervisor supra surfer
  surfing susan suzuki svetlana swan sweet sweetheart sweetie sweetness sweety swimmer swimming
  swinger sword sydney sysadmin system systemofadown taco tahoe tango tardis taylorswift tea teacher
  teamo teamomucho teddy teddybear tekken temp temporary temppass ten tennessee tennis tequiero
  tequila teresa terminator terry test tester testing testtest testuser texans texas thanks thankyou
  thebeatles thematrix theta thinkpad thirteen thomas thor thousand three thug thuglife thunder
  thunderbird thursday tiffany tiger tigers tigers1 tigerwoods tigger timothy tinkerbell tired titan
  titanic titanic1 titanium titans tits tokyo tomato tombraider tool toor topdog topgun topsecret
  tornado toronto torres toshiba tottenham toyota tractor trading train trains transam tree trees
  trekkie trigger trinity triple truck trucker trucks truelove trust trustme trustno1 tuesday tulip
  tupac tupacshakur turbo turkey turquoise turtle twelve twilight twitter two tyler ubuntu unicorn
  uniform unitedstates universe university unknown uranus usa usarmy user username usmc usuario utah
  vacation vader vagina valentina valentine valerie valley vampire vampirediaries vancouver vanessa
  vanilla vascao vegas vegeta venice venus veronica victor victoria victory vietnam viking vikings
  vincent violet violet1 violin viper viper1 viperx virginia virginia1 vladimir vodka volcano
  voldemort volkswagen volleyball volvo voyager waffle wales walkingdead walter warcraft warez
  warlock warrior warriors water waterfall watermelon wayne webadmin website wednesday weed weed420
  weekend weirdo welcome welcome1 welcome2 welcomeback welder werewolf westside whale whatever
  whatsup whiskey whiskey1 white whitney whitney1 whoami whocares wife wildcat william willie
  willkommen willow winchester windows windowsxp winner winnie winniethepooh winter winterfell
  wisconsin wizard wolf wolfpack wolverine wolves worldofwarcraft wrangler wrestler wrestling wsxedc
  xbox xbox360 xmen xray xyz xyzzy yahoo yamaha yankee yankees yellow yoda youtube zachary zaq12wsx
  zebra zelda zenit zero zeus zidane zombie zulu zxcv zxcv1234 zxcvb zxcvbn zxcvbnm
`
    .trim()
    .split(/\s+/),
)
